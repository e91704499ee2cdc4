import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isSarif } from '../render/sarif-schema.ts';
import type { Report } from '../../src/model/report.ts';
import { deployment, pod } from '../build.ts';
import { validBy } from '../schemas.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const bin = join(root, 'bin/kubectl-strata');
const folder = mkdtempSync(join(tmpdir(), 'strata-cli-'));
const dump = join(folder, 'dump.json');

// The environment of whoever runs the tests must not colour them.
const { FORCE_COLOR: _force, NO_COLOR: _no, KUBECONFIG: _config, ...environment } = process.env;

function strata(args: string[], { input = '', env = {} }: { input?: string; env?: Record<string, string> } = {}): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [bin, ...args], { input, encoding: 'utf8', cwd: folder, env: { ...environment, HOME: folder, ...env } });
}

beforeAll(() => {
  if (!existsSync(join(root, 'dist/main.cjs'))) throw new Error('these tests run the built program: npm run build');
  writeFileSync(dump, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [deployment('web'), pod('lonely')] }));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** One sentence, one hint, no stack. */
function expectSentence({ stderr, stdout, status }: SpawnSyncReturns<string>, words: RegExp, code = 64): void {
  expect(stderr).toMatch(words);
  expect(stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(2);
  expect(stderr).not.toMatch(/\n\s+at /);
  expect(stdout).toBe('');
  expect(status).toBe(code);
}

describe('the program', () => {
  test('says its version and its help, and succeeds', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    expect(strata(['--version'])).toMatchObject({ stdout: `kubectl-strata ${version}\n`, stderr: '', status: 0 });
    expect(strata(['version'])).toMatchObject({ stdout: `kubectl-strata ${version}\n`, status: 0 });
    const help = strata(['--help']);
    expect(help).toMatchObject({ stderr: '', status: 0 });
    for (const flag of ['--namespace', '--all-namespaces', '--selector', '--output', '--context', '--kubeconfig', '--from', '--request-timeout', '--as', '--as-group', '--no-color', '--token', '--server']) {
      expect(help.stdout).toContain(flag);
    }
  });

  test.each([
    ['missing', () => null], ['of another V8', (made: Buffer) => Buffer.concat([Buffer.alloc(16), made.subarray(16)])], ['cut short', (made: Buffer) => made.subarray(0, made.length >> 1)],
  ] as [string, (made: Buffer) => Buffer | null][])('does without what V8 made of it: %s', (name, spoil) => {
    const copy = join(folder, `copy ${name}`);
    for (const part of ['bin', 'dist', 'package.json']) cpSync(join(root, part), join(copy, part), { recursive: true });
    const cache = join(copy, 'dist/main.cjs.cache');
    const spoilt = spoil(readFileSync(cache));
    rmSync(cache);
    if (spoilt) writeFileSync(cache, spoilt);
    const ran = spawnSync(process.execPath, [join(copy, 'bin/kubectl-strata'), '--version'], { encoding: 'utf8' });
    expect(ran).toMatchObject({ stdout: expect.stringMatching(/^kubectl-strata \d/), stderr: '', status: 0 });
  });

  test('judges a dump from a file and the same from stdin', () => {
    const fromFile = strata(['--from', dump, '-n', 'shop', '-o', 'json']);
    const fromStdin = strata(['--from', '-', '-n', 'shop', '-o', 'json'], { input: readFileSync(dump, 'utf8') });
    const [one, two] = [fromFile, fromStdin].map(({ stdout }) => JSON.parse(stdout) as Report);
    expect(fromFile.stderr).toBe('');
    expect({ ...one, source: null, cost: null }).toEqual({ ...two, source: null, cost: null });
    const schema = JSON.parse(readFileSync(join(root, 'dist/report.schema.json'), 'utf8')) as object;
    const valid = new Ajv({ formats: { 'date-time': true } }).compile(schema);
    expect(valid(one), JSON.stringify(valid.errors)).toBe(true);
  });

  test('takes the word "diagnose" for what it does anyway, with flags before and behind', () => {
    const plain = strata(['--from', dump, '-n', 'shop', '-o', 'json']);
    expect(plain.stdout).toContain('lonely');
    for (const words of [['diagnose', '--from', dump, '-n', 'shop', '-o', 'json'], ['--from', dump, '-n', 'shop', 'diagnose', '-o', 'json']]) {
      const { stdout, status } = strata(words);
      expect({ ...(JSON.parse(stdout) as Report), cost: null, status }).toEqual({ ...(JSON.parse(plain.stdout) as Report), cost: null, status: plain.status });
    }
    expect(strata(['diagnose', 'lonely', '--from', dump, '-n', 'shop', '--no-color']).stdout).toContain('lonely');
    expect(strata(['help', 'diagnose'])).toMatchObject({ stdout: expect.stringContaining('--risks'), stderr: '', status: 0 });
    expectSentence(strata(['diagnose', '--nothing']), /Unknown option/);
  });

  test('records what it read, and the recording is judged the same', () => {
    const recording = join(folder, 'recording');
    const made = strata(['record', '--from', dump, '-n', 'shop', '-o', recording]);
    expect(made).toMatchObject({ status: 0, stderr: '' });
    expect(made.stdout).toContain(`kubectl strata --from ${recording}\n`);
    const [first, again] = [['--from', dump, '-n', 'shop'], ['--from', recording]].map((args) => JSON.parse(strata([...args, '-o', 'json']).stdout) as Report);
    expect({ ...first, source: null, cost: null }).toEqual({ ...again, source: null, cost: null });
    expect(again?.source).toMatchObject({ kind: 'recording', name: 'recording' });
    expectSentence(strata(['record', '--from', dump, '-o', recording]), /exists already/);
    const named = strata(['record', '--from', dump, '-n', 'shop']);
    expect(named.stdout).toMatch(/ are in strata-shop-\d{8}T\d{6}Z\.\n/);
  });

  test('a server that is not there is a verdict, a kubeconfig that is not there is the reader\'s to put right', () => {
    const kubeconfig = join(folder, 'kubeconfig');
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'gone',
      clusters: [{ name: 'gone', cluster: { server: 'https://127.0.0.1:1' } }],
      users: [{ name: 'me', user: { token: 't' } }],
      contexts: [{ name: 'gone', context: { cluster: 'gone', user: 'me' } }],
    };
    writeFileSync(kubeconfig, JSON.stringify(config));
    const gone = strata(['--kubeconfig', kubeconfig]);
    expect(gone.stdout).toMatch(/^gone https:\/\/127\.0\.0\.1:1 {2}API UNREACHABLE {2}/);
    expect(gone.status).toBe(5);
    expectSentence(strata(['--kubeconfig', kubeconfig, '--context', 'other']), /no context "other"/);
    expectSentence(strata(['--kubeconfig', join(folder, 'none')]), /does not exist/);
    expectSentence(strata([]), /no kubeconfig/);
  });

  test('the exit code is the verdict', () => {
    const missing = strata(['--from', dump, '-n', 'shop', 'deployment/nobody']);
    expect(missing.stdout).toMatch(/^shop Deployment\/nobody {2}NOTHING MATCHED {2}/);
    expect(missing.status).toBe(4);
  });

  test('a pipe gets no colours unless they are forced', () => {
    const start = '\u001b[';
    expect(strata(['--from', dump]).stdout).not.toContain(start);
    expect(strata(['--from', dump], { env: { FORCE_COLOR: '1' } }).stdout).toContain(start);
    expect(strata(['--from', dump, '--no-color'], { env: { FORCE_COLOR: '1' } }).stdout).not.toContain(start);
  });

  test('a reader that goes away early is no failure', async () => {
    const child = spawn(process.execPath, [bin, 'rules', 'list'], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    let complaints = '';
    child.stderr.on('data', (chunk) => {
      complaints += String(chunk);
    });
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect(complaints).toBe('');
    expect(code).toBe(0);
  });

  test('the catalogue lists and shows rules', () => {
    const list = strata(['rules', 'list']);
    expect(list.status).toBe(0);
    const [head, ...lines] = list.stdout.trimEnd().split('\n');
    expect(head).toMatch(/^LAYER +ID +FINDS$/);
    const id = /^\w+ +(\S+)/.exec(lines[0] ?? '')?.[1] ?? '';
    const shown = strata(['rules', 'show', id]);
    expect(shown.stdout).toMatch(new RegExp(`^${id}  `));
    expect(shown.stdout).toMatch(/\n {2}evidence {4}\S/);
  });

  test('rules of your own are added under ids of their own', () => {
    const own = join(folder, 'own');
    expectSentence(strata(['rules', 'list', '--rules', own]), /could not be read/);
    mkdirSync(own);
    expectSentence(strata(['rules', 'list', '--rules', own]), /There is no rule in/);
    const rule = { id: 'ours', layer: 'application', title: 'Ours', kind: 'Pod', at: 'ready', expected: 'x', actual: 'y', conclusion: 'z', evidence: ['see(object, "/spec")'], next: ['look'] };
    writeFileSync(join(own, 'ours.yaml'), Object.entries(rule).map(([key, value]) => `${key}: ${JSON.stringify(value)}`).join('\n'));
    expect(strata(['rules', 'list', 'application', '--rules', own]).stdout).toMatch(/^application +user\/ours +Ours$/m);
    writeFileSync(join(own, 'broken.yaml'), 'id: broken\nlayer: a: b\n');
    expectSentence(strata(['rules', 'list', '--rules', own]), /broken\.yaml: .*line 2/);
  });

  test('help is a command, and words that are neither object nor type are told so', () => {
    expect(strata(['help'])).toMatchObject({ stdout: strata(['--help']).stdout, status: 0 });
    expect(strata(['help', 'gate'])).toMatchObject({ stdout: strata(['gate', '--help']).stdout, status: 0 });
    expect(strata(['help', 'gaet'])).toMatchObject({ stdout: '', stderr: 'There is no command "gaet".\nSee kubectl strata --help.\n', status: 64 });
    expect(strata(['--from', dump, 'widgets', 'x'])).toMatchObject({ status: 4, stdout: expect.stringContaining('NOTHING MATCHED  nothing that was read has this name') });
  });

  test('a risk says what it is once', () => {
    const { stdout } = strata(['--risks', '--from', join(root, 'fixtures/healthy-after-node-lost')]);
    expect(stdout.replace(/\s+/g, ' ').match(/the scheduler takes it for nothing/g)).toHaveLength(1);
  });

  test('the catalogue and an explanation are documents, too', () => {
    const list = JSON.parse(strata(['rules', 'list', 'cni', '-o', 'json']).stdout) as { kind: string; items: { id: string; layer: string }[] };
    expect(list.kind).toBe('RuleList');
    expect(list.items.length).toBeGreaterThan(0);
    const [first] = list.items;
    expect(JSON.parse(strata(['rules', 'show', first?.id ?? '', '-o', 'json']).stdout)).toEqual({ apiVersion: 'kubectl-strata/v1', kind: 'Rule', ...first });
    const known = strata(['explain', '-', '-o', 'json'], { input: 'Error from server: etcdserver: mvcc: database space exceeded\n' });
    expect([known.status, JSON.parse(known.stdout)]).toMatchObject([0, { kind: 'Explanation', layer: 'api', class: 'api-refusals/etcd-space', behind: [] }]);
    const open = strata(['explain', 'OOMKilled', '-o', 'json']);
    expect([open.status, JSON.parse(open.stdout)]).toMatchObject([3, { layer: '', says: expect.stringContaining('names no layer') as string }]);
    expectSentence(strata(['explain', 'x', '-o', 'xml']), /^There is no output format "xml" of an explanation/);
    expectSentence(strata(['rules', '-o', 'xml']), /^There is no output format "xml" of rules/);
  });

  test('a rule without a name is no hint at others', () => {
    expect(strata(['rules', 'list', 'CNI'])).toMatchObject({ stdout: strata(['rules', 'list', 'cni']).stdout, status: 0 });
    expectSentence(strata(['rules', 'lst']), /^rules has no command "lst"/);
    expectSentence(strata(['rules', 'list', 'lst']), /^There is no rule of a layer "lst"/);
    expectSentence(strata(['rules', 'show', '']), /^The id of a rule is empty\.\n/);
    const shown = strata(['-o', 'sarif', '--from', join(root, 'fixtures/e7-exit')]);
    expect(isSarif(JSON.parse(shown.stdout)), JSON.stringify(isSarif.errors)).toBe(true);
    expect(JSON.parse(shown.stdout).runs[0].tool.driver.rules[0].shortDescription.text).toBe("A container's process ends by itself");
  });

  test('the schemas of all that is printed as JSON ship with the package', () => {
    const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { exports: Record<string, string> };
    expect(Object.keys(exports)).toEqual(['./access.schema.json', './report.schema.json', './trace.schema.json']);
    for (const path of Object.values(exports)) expect(JSON.parse(readFileSync(join(root, path), 'utf8'))).toMatchObject({ properties: { apiVersion: { const: 'kubectl-strata/v1' } } });
  });

  test('a trace follows what was made, and says so where nothing is there', () => {
    const from = ['--from', join(root, 'fixtures/e7-exit')];
    const { scope } = JSON.parse(strata(['-o', 'json', ...from]).stdout);
    const traced = strata(['trace', 'deployment/payments', '-n', scope.namespaces[0], ...from]);
    expect(traced.stdout).toMatch(/^\S+\/Deployment\/payments {2}uid [0-9a-f]{8}.*\n[^]*ReplicaSet\/payments-[^]*Pod\/payments-[^]*0s created > /);
    expect(traced.status).toBe(0);
    expect(validBy('trace', JSON.parse(strata(['trace', 'deployment/payments', '-n', scope.namespaces[0], '-o', 'json', ...from]).stdout))).toMatchObject({ kind: 'Trace', objects: [{ kind: 'Deployment', made: [{ kind: 'ReplicaSet' }] }] });
    const nobody = strata(['trace', 'deployment/nobody', '-n', scope.namespaces[0], ...from]);
    expect([nobody.status, nobody.stderr.split('\n')[0]]).toEqual([4, 'There is no deployment/nobody here, or it may not be read.']);
    expectSentence(strata(['trace']), /nothing to trace/);
  });

  test('tests beside rules of your own are run, and sloppy ones refused', () => {
    const own = join(folder, 'tested');
    mkdirSync(own);
    expectSentence(strata(['rules', 'test']), /No folder with rules/);
    const rule = { id: 'ours', layer: 'application', title: 'Ours', kind: 'Pod', at: 'ready', when: 'pod.node == "n1"', expected: 'x', actual: 'y', conclusion: 'z', evidence: ['see(object, "/spec")'], next: ['look'] };
    writeFileSync(join(own, 'ours.yaml'), Object.entries(rule).map(([key, value]) => `${key}: ${JSON.stringify(value)}`).join('\n'));
    const alone = strata(['rules', 'test', own]);
    expect(alone.stdout).toMatch(/FAILS +ours\.yaml +1 complaint\n[^]*there is no test beside it: ours\.test\.yaml/);
    expect(alone.status).toBe(1);
    const status = {
      phase: 'Running', podIP: '10.0.0.1', conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: '2026-03-01T09:00:00Z' }],
      containerStatuses: [{ name: 'c', ready: false, started: true, restartCount: 0, state: { running: { startedAt: '2026-03-01T09:00:00Z' } } }],
    };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: 'b', uid: 'u', creationTimestamp: '2026-03-01T09:00:00Z' }, spec: { nodeName: 'n1', containers: [{ name: 'c' }] }, status };
    const cases = [
      { name: 'fires', expect: [{ title: 'Ours' }] },
      { name: 'elsewhere', patch: { 'Pod/a': { spec: { nodeName: 'n2' } } }, expect: [] },
      { name: 'unseen', forbidden: ['Pod'], expect: [] },
    ];
    writeFileSync(join(own, 'ours.test.yaml'), JSON.stringify({ now: '2026-03-01T10:00:00Z', given: [pod], cases }));
    const good = strata(['rules', 'test', own]);
    expect([good.stdout.match(/ok +ours\.yaml +3 cases/)?.length, good.status]).toEqual([1, 0]);
    writeFileSync(join(own, 'ours.test.yaml'), JSON.stringify({ now: '2026-03-01T10:00:00Z', given: [pod], cases: [{ name: 'fires', expect: [{ title: 'Theirs' }] }] }));
    const bad = strata(['rules', 'test', '--rules', own]);
    expect(bad.stdout).toMatch(/no near miss/);
    expect(bad.stdout).toMatch(/fires: title: expected "Theirs", got "Ours"/);
    expect(bad.status).toBe(1);
    // A mistake in the rule itself is one, however many cases come to it.
    writeFileSync(join(own, 'ours.yaml'), Object.entries({ ...rule, actual: '{object.spec.nowhere}' }).map(([key, value]) => `${key}: ${JSON.stringify(value)}`).join('\n'));
    writeFileSync(join(own, 'ours.test.yaml'), JSON.stringify({ now: '2026-03-01T10:00:00Z', given: [pod], cases: [...cases, { name: 'fires, too', absent: ['Event'], expect: [{ title: 'Ours' }] }] }));
    const broken = strata(['rules', 'test', own]);
    expect(broken.stdout).toMatch(/FAILS +ours\.yaml +1 complaint\n/);
    expect(broken.stdout).toMatch(/2 cases \(fires, fires, too\): .*nowhere/);
  });

  test('text tables of your own are read before those that ship, and their examples are their tests', () => {
    const own = join(folder, 'tables');
    mkdirSync(join(own, 'texts'), { recursive: true });
    const row = { class: 'ours', match: '^strange thing (?<what>\\w+)$', layer: 'application', says: 'A strange thing: {what}.', from: 'our program', example: 'strange thing seven' };
    const write = (rows: object[], more = {}): void => writeFileSync(join(own, 'texts', 'probes.yaml'), JSON.stringify({ family: 'probes', rows, ...more }));
    write([row]);
    expect(strata(['rules', 'test', own])).toMatchObject({ stdout: expect.stringMatching(/ok +texts\/probes\.yaml +1 text\n/) as string, status: 0 });
    expect(strata(['--rules', own, '--from', dump, '-n', 'shop', '-o', 'json']).stderr).toBe('');
    write([row, { ...row, class: 'hidden' }, { ...row, class: 'other', match: '^no example reaches it$' }]);
    const bad = strata(['rules', 'test', own]);
    expect(bad.stdout).toMatch(/FAILS +texts\/probes\.yaml +2 complaints\n[^]*hidden: its example is taken by probes\/ours\n[^]*other: its example is taken by probes\/ours\n/);
    expect(bad.status).toBe(1);
    write([{ ...row, layer: 'nowhere' }]);
    expectSentence(strata(['rules', 'test', own]), /^texts\/probes\.yaml: ours: "layer" must be one of api, /);
    write([{ ...row, match: '(' }]);
    expectSentence(strata(['rules', 'test', own]), /^texts\/probes\.yaml: texts\/probes: ours: Invalid regular expression/);
  });

  test('the rules that ship hold as a folder of rules, texts and all', () => {
    const { stdout, status } = strata(['rules', 'test', join(root, 'rules')]);
    expect(stdout).not.toContain('FAILS');
    expect(stdout).toMatch(/ok +texts\/workloads\.yaml +\d+ texts\n/);
    expect(status).toBe(0);
  }, 120_000);

  test('npm start on a machine without a cluster shows the recording that ships', () => {
    const shown = spawnSync(process.execPath, [join(root, 'tools/start.mjs')], { encoding: 'utf8', env: { ...environment, HOME: folder } });
    expect(shown.stderr).toMatch(/^No cluster is configured here .* so this is the recording fixtures\//m);
    expect(shown.stdout).toMatch(/ {2}FAILED {2}1 cause /);
    expect(shown.stdout).toMatch(/\n {2}evidence {4}\[1\] /);
    expect(shown.status).toBe(0);
  });

  test('a completion script for each shell, in its grammar', () => {
    for (const shell of ['bash', 'zsh', 'fish']) expect(strata(['completion', shell])).toMatchObject({ status: 0, stderr: '' });
    expect(spawnSync('bash', ['-n'], { input: strata(['completion', 'bash']).stdout, encoding: 'utf8' }).stderr).toBe('');
  });
});

describe('what a person has to put right', () => {
  test.each([
    ['an unknown flag', ['--nonsense'], /^Unknown option '--nonsense'/],
    ['a flag without its value', ['-n'], /argument missing/i],
    ['the duration of another flag', ['gate', '--soak', 'soon'], /"soon" is not a duration \(--soak\)/],
    ['a flag that only other commands have', ['redact', dump, '--context', 'a'], /^Unknown option '--context'/],
    ['a cluster beside what is read instead of one', ['--from', dump, '--context', 'a', '--tls-server-name', 'b'], /^--from reads no cluster, and --context, --tls-server-name say how to reach one\./],
    ['an unknown format', ['-o', 'xml', '--from', dump], /no output format "xml"/],
    ['a file that is not there', ['--from', join(folder, 'nothing.json')], /does not exist/],
    ['an unknown type', ['--from', dump, 'foo/bar'], /resource type "foo"/],
    ['too many slashes', ['--from', dump, 'a/b/c'], /not a target/],
    ['a duration that is none', ['--from', dump, '--request-timeout', 'soon'], /"soon" is not a duration/],
    ['an unknown rule', ['rules', 'show', 'nonsense'], /no rule "nonsense"/],
    ['an unknown layer', ['rules', 'list', 'nonsense'], /no rule of a layer "nonsense"/],
    ['an unknown shell', ['completion', 'tcsh'], /no completion for "tcsh"/],
    ['nothing to explain', ['explain'], /no text to explain/],
  ])('%s', (_, args, words) => {
    expectSentence(strata(args), words);
  });

  test('help is named where it is', () => {
    expect(strata(['diff', 'one']).stderr).toContain('kubectl strata diff --help');
    expect(strata(['--nonsense']).stderr).toContain('See kubectl strata --help');
  });

  test('a report in a file may be read by whom the umask lets', () => {
    const page = join(folder, 'page.xml');
    spawnSync('sh', ['-c', 'umask 027; exec "$0" "$@"', process.execPath, bin, '--from', dump, '-n', 'shop', '-o', `junit=${page}`], { cwd: folder, env: { ...environment, HOME: folder } });
    expect(statSync(page).mode & 0o777).toBe(0o640);
  });

  test('a recording beside another: roots are the causes, and no line is wider than the page', () => {
    const { stdout, status } = strata(['diff', join(root, 'fixtures/e24-disk-pressure'), join(root, 'fixtures/healthy-after-disk-pressure')]);
    expect(status).toBe(1);
    expect(stdout).toMatch(/\ncauses\n {2}- KUBELET {2}[^\n]*\n\nfollows\n {2}- SCHEDULER {2}/);
    expect(stdout).toMatch(/\/status\/phase {2}Pending -> Running\n {6}moved along: lastTransitionTime/);
    expect(stdout).not.toMatch(/lastTransitionTime \(|containerID|imageID|startedAt/);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test('what a dump holds, where nothing of it was meant', () => {
    expect(strata(['--from', dump, '-n', 'nonsense'])).toMatchObject({ status: 4, stdout: expect.stringMatching(/it holds namespace/) });
  });

  test('a manifest has no time, and a namespace named alone does not stand for what is in it', () => {
    const manifest = strata(['--from', '-'], { input: 'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n' });
    expect(manifest.stdout).toMatch(/^stdin, as of \S+ \S+ \(now\)$/m);
    const from = ['--from', join(root, 'fixtures/e7-exit')];
    expect(strata(['ns', 'e7-exit', ...from]).stdout).toMatch(/note {6}Namespace\/e7-exit alone was judged; what is in it is judged with -n\s+e7-exit\./);
    expect(strata(['sts,ds', ...from])).toMatchObject({ stdout: expect.stringContaining('e7-exit StatefulSet, DaemonSet  NOTHING MATCHED  there is none here\n'), status: 4 });
  });

  test('half a file', () => {
    const half = readFileSync(dump, 'utf8').slice(0, 40);
    expectSentence(strata(['--from', '-'], { input: half }), /./);
  });

  test('controls in what was typed do not reach the terminal', () => {
    expect(strata(['--from', dump, 'fo\u001b[2Jo/bar']).stderr).toContain('fo\\x1b[2Jo');
  });
});
