/** Sources and rules to `dist/`: one script with what V8 makes of it, and the rules as JSON. Prints one line. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build, type Plugin } from 'esbuild';
import { collectRules } from './rules.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const CACHE = 'main.cjs.cache';

/** What stands behind methods that nobody calls, and every run would load. */
const UNUSED: readonly { path: RegExp; importer: string; names: readonly string[] }[] = [
  // Of the client library only KubeConfig and its way to request options are used: the generated APIs and fetch headers are 700 KB.
  {
    path: /^(?:\.\/gen\/index\.js|node-fetch)$/,
    importer: '@kubernetes/client-node/dist/config.js',
    names: ['createConfiguration', 'ServerConfiguration', 'Headers'],
  },
  // Subcommands that are programs of their own.
  { path: /^node:child_process$/, importer: 'commander/lib/command.js', names: ['spawn'] },
];

const withoutUnused: Plugin = {
  name: 'without-unused',
  setup(build) {
    for (const { path: filter, importer, names } of UNUSED) {
      build.onResolve({ filter }, (asked) => (asked.importer.endsWith(importer) ? { path: importer, namespace: 'unused', pluginData: names } : undefined));
    }
    build.onLoad({ filter: /.*/, namespace: 'unused' }, ({ pluginData }) => ({
      contents: `const unused = () => { throw new Error('left out of the bundle'); };
        export { ${(pluginData as readonly string[]).map((name) => `unused as ${name}`).join(', ')} };`,
    }));
  },
};

/** One CommonJS script: V8 keeps what it compiled for a script, and of an ES module only from Node 22 on. */
async function bundle(version: string): Promise<string> {
  const result = await build({
    absWorkingDir: root,
    entryPoints: ['src/cli/main.ts'],
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    // A script that is run by hand has no loader to import() with.
    supported: { 'dynamic-import': false },
    // Names stay as they are written: a stack can be read, and no function pays for keeping its name.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    // Of the client only its reading of kubeconfigs is used; the generated APIs behind its front door are 2 MB more to parse.
    alias: { '@kubernetes/client-node': join(root, 'node_modules/@kubernetes/client-node/dist/config.js') },
    plugins: [withoutUnused],
    // A script and a module alike: what it gives as the one, it exports as the other.
    banner: { js: "this.program=(function(exports,require,module,__filename,__dirname){const STRATA_URL=require('node:url').pathToFileURL(__filename).href;" },
    footer: { js: '});' },
    define: { 'globalThis.STRATA_VERSION': JSON.stringify(version), 'import.meta.url': 'STRATA_URL' },
    logLevel: 'warning',
  });
  // esbuild writes strings in ASCII; what is left stands in regular expressions, which know the same escape.
  return (result.outputFiles[0]?.text ?? '').replace(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** What each rule needs, found by trying; as the last build found it where nothing that decides it has changed since. */
async function measuredNeeds(): Promise<{ needs: object; needsOf: string }> {
  const hash = createHash('sha256');
  for (const folder of ['rules', 'src/engine', 'src/facts', 'src/model']) {
    for (const name of (await readdir(join(root, folder), { recursive: true })).filter((each) => /\.(?:ts|yaml)$/.test(each)).sort())
      hash.update(`${name}\0`).update(await readFile(join(root, folder, name)));
  }
  const inputs = hash.digest('hex');
  const last = await readFile(join(dist, 'rules.json'), 'utf8').then(
    (text) => JSON.parse(text) as { needs?: object; needsOf?: string },
    () => null,
  );
  if (last?.needs && last.needsOf === inputs) return { needs: last.needs, needsOf: inputs };
  // Loaded late: what is imported here reads the rules at once, and a broken one has been named by then.
  const [{ needsOf }, { ruleSet, ruleTest }] = await Promise.all([import('./rule-needs.ts'), import('./rule-files.ts')]);
  return { needs: needsOf(ruleSet(), ruleTest), needsOf: inputs };
}

/** A process that starts meanwhile finds the whole old file, or the whole new one. */
async function replace(name: string, content: string): Promise<void> {
  await writeFile(join(dist, `${name}.new`), content);
  await rename(join(dist, `${name}.new`), join(dist, name));
}

async function main(): Promise<void> {
  const started = performance.now();
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  await mkdir(dist, { recursive: true });
  // Rules first: where one is broken, the last good build stays whole.
  const rules = await collectRules(join(root, 'rules'));
  const script = await bundle(version);
  // V8 tells a script from another by its length: what it made of the last one goes before the new one comes.
  await rm(join(dist, CACHE), { force: true });
  await replace('main.cjs', script);
  await replace('rules.json', JSON.stringify({ ...rules, ...(await measuredNeeds()) }));
  const schemas = (await readdir(join(root, 'src/render'))).filter((name) => name.endsWith('.schema.json'));
  await Promise.all(schemas.map((name) => copyFile(join(root, 'src/render', name), join(dist, name))));
  await promisify(execFile)(process.execPath, [join(root, 'tools/code-cache.mjs')]);
  const made = new Set(['main.cjs', CACHE, 'rules.json', ...schemas]);
  for (const file of await readdir(dist)) if (!made.has(file)) await rm(join(dist, file), { recursive: true });
  const took = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(`dist: ${Math.round(script.length / 1024)} KiB, ${rules.rules.length} rules, ${rules.texts.length} text tables, ${took} s\n`);
}

try {
  await main();
} catch (error) {
  // esbuild has said its own, with place and source line; a rule file that is not YAML is named here.
  if (!(error instanceof Error && 'errors' in error)) process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
