import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

interface Import {
  file: string;
  target: string;
  /** Erased by the compiler. */
  typeOnly: boolean;
  /** `import()` at run time. */
  lazy: boolean;
}

const filesUnder = (folder: string): string[] =>
  existsSync(join(root, folder))
    ? readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .map((name) => join(folder, name))
        .filter((path) => statSync(join(root, path)).isFile())
        .sort()
    : [];

const source = filesUnder('src').filter((path) => path.endsWith('.ts'));
const tests = filesUnder('test').filter((path) => path.endsWith('.ts'));
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

const STATIC = /^(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm;
const LAZY = /\bimport\('([^']+)'\)(\.\w+)?/g;

const imports: Import[] = source.flatMap((file) => {
  const text = textOf(file);
  return [
    ...[...text.matchAll(STATIC)].map(([, type, target = '']) => ({ file, target, typeOnly: type !== undefined, lazy: false })),
    ...[...text.matchAll(LAZY)].map(([, target = '']) => ({ file, target, typeOnly: false, lazy: true })),
  ];
});

const areaOf = (path: string): string => path.split('/')[1] ?? '';
const landsIn = ({ file, target }: Import): string => areaOf(join(file, '..', target));

// cli -> {source, engine, gate, serve, render} -> facts -> model; source, engine and render do not know each other.
const MAY_IMPORT: Record<string, readonly string[]> = {
  model: [],
  facts: ['model'],
  source: ['facts', 'model'],
  engine: ['facts', 'model'],
  render: ['facts', 'model'],
  gate: ['source', 'engine', 'facts', 'model'],
  serve: ['source', 'facts', 'model'],
  cli: ['source', 'engine', 'gate', 'serve', 'render', 'facts', 'model'],
};

// A foreign library has one importer, so that it can be replaced in one place. Several places only where each is named.
const IMPORTERS: Record<string, { run: string[]; types?: string[] }> = {
  '@kubernetes/client-node': { run: ['src/source/cluster/kubeconfig.ts'], types: ['src/model/kinds.ts', 'src/source/cluster/kubeconfig.ts'] },
  '@marcbachmann/cel-js': { run: ['src/engine/cel.ts'], types: ['src/engine/cel.ts'] },
  commander: { run: ['src/cli/program.ts'] },
  chalk: { run: ['src/render/paint.ts'] },
  'cli-table3': { run: ['src/render/table.ts'] },
  ora: { run: ['src/cli/spinner.ts'], types: ['src/cli/spinner.ts'] },
  yaml: { run: ['src/cli/rule-set.ts'] },
  'js-yaml': { run: ['src/source/yaml.ts'] },
  'tar-stream': { run: ['src/source/bundles/tar.ts'] },
  fzstd: { run: ['src/source/bundles/zstd.ts'] },
  'xz-decompress': { run: ['src/source/bundles/xz.ts'] },
  yauzl: { run: ['src/source/bundles/zip.ts'] },
};

describe('the house', () => {
  test('there is something to look at', () => {
    expect(source.length).toBeGreaterThan(40);
    expect(imports.length).toBeGreaterThan(100);
  });

  test('imports point one way', () => {
    const wrong = imports
      .filter(({ target }) => target.startsWith('.'))
      .filter((one) => landsIn(one) !== areaOf(one.file) && !(MAY_IMPORT[areaOf(one.file)] ?? []).includes(landsIn(one)))
      .map(({ file, target }) => `${file} imports ${target}`);
    expect(wrong).toEqual([]);
  });

  test('every folder of the sources has its place', () => {
    expect([...new Set(source.map(areaOf))].filter((area) => !Object.hasOwn(MAY_IMPORT, area))).toEqual([]);
  });

  test('every module is of use to another, or is where a program or a build begins', () => {
    const begins = ['src/cli/main.ts', 'src/engine/check.ts'];
    const used = new Set(imports.filter(({ target }) => target.startsWith('.')).map(({ file, target }) => join(file, '..', target)));
    expect(source.filter((path) => !used.has(path) && !begins.includes(path))).toEqual([]);
  });

  test('imports name the file, with its ending', () => {
    const wrong = imports.filter(({ target }) => target.startsWith('.') && !/\.(ts|json)$/.test(target)).map(({ file, target }) => `${file}: ${target}`);
    expect(wrong).toEqual([]);
  });

  test('a foreign library has one importer', () => {
    const foreign = imports.filter(({ target }) => !target.startsWith('.') && !target.startsWith('node:'));
    const wrong = foreign
      .filter(({ file, target, typeOnly }) => {
        const allowed = IMPORTERS[packageOf(target)];
        return !(typeOnly ? (allowed?.types ?? allowed?.run) : allowed?.run)?.includes(file);
      })
      .map(({ file, target, typeOnly }) => `${file} imports ${typeOnly ? 'types of ' : ''}${target}`);
    expect(wrong).toEqual([]);
  });

  test('what most runs do not need is loaded when it is needed', () => {
    const lazyOnly = ['fzstd', 'ora', 'xz-decompress', 'yaml'];
    const eager = imports.filter(({ target, typeOnly, lazy }) => lazyOnly.includes(target) && !typeOnly && !lazy).map(({ file, target }) => `${file}: ${target}`);
    expect(eager).toEqual([]);
    const commands = ['main.ts', 'program.ts'].map((name) => `src/cli/${name}`);
    const heavy = imports
      .filter(({ file, typeOnly, lazy }) => commands.includes(file) && !typeOnly && !lazy)
      .filter((one) => one.target.startsWith('.') && !['cli', 'model', 'render'].includes(landsIn(one)))
      .map(({ file, target }) => `${file}: ${target}`);
    expect(heavy).toEqual([]);
  });

  test('no source file is over 400 lines', () => {
    const long = [...source, ...filesUnder('tools'), ...tests].filter((path) => textOf(path).split('\n').length > 400);
    expect(long).toEqual([]);
  });

  test('what is tested stays within reach: no test imports another, and none is left out or alone', () => {
    const wrong = tests.flatMap((path) => {
      const text = textOf(path);
      const imported = [...text.matchAll(STATIC)]
        .map(([, , target = '']) => target)
        .filter((target) => target.endsWith('.test.ts'))
        .map((target) => `${path} imports ${target}`);
      const lines = text
        .split('\n')
        .flatMap((line, index) =>
          /^\s*(?:describe|it|test)\.(?:only|skip|todo)\b/.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [],
        );
      const foreign = [...text.matchAll(STATIC)]
        .filter(([, , target = '']) => target.startsWith('.') && !/\.(?:ts|json|mjs)$/.test(target))
        .map(([, , target = '']) => `${path}: ${target} without its ending`);
      return [...imported, ...lines, ...foreign];
    });
    expect(wrong).toEqual([]);
  });

  test('no `any` and no silenced compiler in tests either', () => {
    const wrong = tests.filter((path) => path !== 'test/architecture.test.ts').filter((path) => /@ts-(?:ignore|nocheck)|\bas any\b|: any\b/.test(textOf(path)));
    expect(wrong).toEqual([]);
  });

  test('names are kebab-case', () => {
    const paths = ['src', 'test', 'tools'].flatMap(filesUnder).filter((path) => /\.(ts|mjs)$/.test(path));
    expect(paths.filter((path) => !/^[a-z0-9-]+(\.test|\.config)?\.(ts|mjs)$/.test(path.split('/').at(-1) ?? ''))).toEqual([]);
  });

  test('no `any`, no silenced compiler, no console outside the command line', () => {
    const patterns: [RegExp, (path: string) => boolean][] = [
      [/(?::|<|\||\bas)\s*any\b(?!\w|\s*[:(])|,\s*any\s*>/, () => true],
      [/@ts-(?:ignore|nocheck|expect-error)/, () => true],
      [/\bconsole\.\w+\(/, (path) => areaOf(path) !== 'cli'],
      [/process\.(?:stdout|stderr|argv|exit)\b/, (path) => areaOf(path) !== 'cli'],
    ];
    const wrong = source.flatMap((path) => {
      const lines = textOf(path).split('\n');
      return patterns.flatMap(([pattern, applies]) =>
        applies(path)
          ? lines.flatMap((line, index) =>
              pattern.test(line) && !/^\s*(?:\/\/|\*|\/\*)/.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [],
            )
          : [],
      );
    });
    expect(wrong).toEqual([]);
  });

  test('judging reads no clock, no chance and no environment', () => {
    const pure = source.filter((path) => ['model', 'facts', 'engine', 'render'].includes(areaOf(path)));
    const wrong = pure.filter((path) => /\bDate\.now\(|new Date\(\)|Math\.random\(|process\.env\b/.test(textOf(path)));
    expect(wrong).toEqual([]);
  });
});

const packageOf = (target: string): string => target.split('/').slice(0, target.startsWith('@') ? 2 : 1).join('/');
