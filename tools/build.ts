/** Sources and rules to `dist/`: an ESM bundle in lazy chunks, and the rules as JSON. Prints one line. */
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { collectRules } from './rules.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');

// The bundle is ESM, and some bundled libraries still call require() for Node's own modules.
const REQUIRE = "import{createRequire as makeRequire}from'node:module';const require=makeRequire(import.meta.url);";

/**
 * Of the client library only KubeConfig and its way to request options are used. What stands behind the methods that nobody calls
 * (the generated APIs, fetch headers) is 700 KB that every run would load.
 */
const withoutGeneratedApis: Plugin = {
  name: 'without-generated-apis',
  setup(build) {
    build.onResolve({ filter: /^(?:\.\/gen\/index\.js|node-fetch)$/ }, ({ path, importer }) =>
      importer.endsWith('@kubernetes/client-node/dist/config.js') ? { path, namespace: 'unused' } : undefined);
    build.onLoad({ filter: /.*/, namespace: 'unused' }, () => ({
      contents: `const unused = () => { throw new Error('left out of the bundle'); };
        export { unused as createConfiguration, unused as ServerConfiguration, unused as Headers };`,
    }));
  },
};

async function bundle(version: string): Promise<string[]> {
  const result = await build({
    absWorkingDir: root,
    entryPoints: { main: 'src/cli/main.ts' },
    outdir: dist,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    // Names stay as they are written: a stack can be read, and no function pays for keeping its name.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    chunkNames: '[name]-[hash]',
    banner: { js: REQUIRE },
    // Of the client only its reading of kubeconfigs is used; the generated APIs behind its front door are 2 MB more to parse.
    alias: { '@kubernetes/client-node': join(root, 'node_modules/@kubernetes/client-node/dist/config.js') },
    plugins: [withoutGeneratedApis],
    define: { 'globalThis.STRATA_VERSION': JSON.stringify(version) },
    metafile: true,
    logLevel: 'warning',
  });
  return Object.keys(result.metafile.outputs).map((path) => basename(path));
}

/** What each rule needs, found by trying; as the last build found it where nothing that decides it has changed since. */
async function measuredNeeds(): Promise<{ needs: object; needsOf: string }> {
  const hash = createHash('sha256');
  for (const folder of ['rules', 'src/engine', 'src/facts', 'src/model']) {
    for (const name of (await readdir(join(root, folder), { recursive: true })).filter((each) => /\.(?:ts|yaml)$/.test(each)).sort()) hash.update(`${name}\0`).update(await readFile(join(root, folder, name)));
  }
  const inputs = hash.digest('hex');
  const last = await readFile(join(dist, 'rules.json'), 'utf8').then((text) => JSON.parse(text) as { needs?: object; needsOf?: string }, () => null);
  if (last?.needs && last.needsOf === inputs) return { needs: last.needs, needsOf: inputs };
  // Loaded late: what is imported here reads the rules at once, and a broken one has been named by then.
  const [{ needsOf }, { ruleSet, ruleTest }] = await Promise.all([import('./rule-needs.ts'), import('./rule-files.ts')]);
  return { needs: needsOf(ruleSet(), ruleTest), needsOf: inputs };
}

async function main(): Promise<void> {
  const started = performance.now();
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  await mkdir(dist, { recursive: true });
  // Rules first: where one is broken, the last good build stays whole.
  const rules = await collectRules(join(root, 'rules'));
  const chunks = await bundle(version);
  await writeFile(join(dist, 'rules.json'), JSON.stringify({ ...rules, ...(await measuredNeeds()) }));
  const schemas = (await readdir(join(root, 'src/render'))).filter((name) => name.endsWith('.schema.json'));
  await Promise.all(schemas.map((name) => copyFile(join(root, 'src/render', name), join(dist, name))));
  const made = new Set([...chunks, 'rules.json', ...schemas]);
  // Chunks of earlier builds go last: a process that runs from them may still load one.
  for (const file of await readdir(dist)) if (!made.has(file)) await rm(join(dist, file), { recursive: true });
  const took = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(`dist: ${chunks.length} chunks, ${rules.rules.length} rules, ${rules.texts.length} text tables, ${took} s\n`);
}

try {
  await main();
} catch (error) {
  // esbuild has said its own, with place and source line; a rule file that is not YAML is named here.
  if (!(error instanceof Error && 'errors' in error)) process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
