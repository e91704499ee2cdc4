import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { JSON_SCHEMA, loadAll } from 'js-yaml';
import { RESOURCES } from '../../src/model/resources.ts';
import { afterAll, describe, expect, test } from 'vitest';
import { deployment, object, pod } from '../build.ts';
import type { Access } from '../../src/model/access.ts';
import { type Right, type Rights, reviewing } from '../source/reviews.ts';
import { validBy, wrongBy } from '../schemas.ts';
import { type DoubleOptions, reply, kubeconfigOf, startDouble, status } from '../source/api-double.ts';

const bin = fileURLToPath(new URL('../../bin/kubectl-strata', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'strata-live-'));
const { FORCE_COLOR: _force, NO_COLOR: _no, KUBECONFIG: _config, ...environment } = process.env;
afterAll(() => rmSync(folder, { recursive: true }));

interface Ran {
  stdout: string;
  stderr: string;
  status: number | null;
  asked: string[];
}

/** The built program against an API server in this process. */
async function strata(options: DoubleOptions, ...args: string[]): Promise<Ran> {
  const server = await startDouble(options);
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, kubeconfigOf(server.url));
  const child = spawn(process.execPath, [bin, ...args, '--kubeconfig', kubeconfig], { env: { ...environment, HOME: folder }, stdio: ['ignore', 'pipe', 'pipe'] });
  const ran: Ran = { stdout: '', stderr: '', status: null, asked: server.asked };
  child.stdout.on('data', (chunk) => {
    ran.stdout += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    ran.stderr += String(chunk);
  });
  ran.status = await new Promise((resolve) => child.on('close', resolve));
  await server.close();
  return ran;
}

const shop = object('v1', 'Namespace', 'shop', { status: { phase: 'Active' } });

describe('the program on a live server', () => {
  test('names the server, its version, the time and the requests; succeeds where all is well', async () => {
    const { stdout, stderr, status: code, asked } = await strata({ objects: [shop, object('v1', 'Node', 'node-1', { status: { conditions: [{ type: 'Ready', status: 'True' }] } }), pod('web-1')] });
    const [first, second] = stdout.split('\n');
    expect(first).toBe('shop  HEALTHY  1 workload, 1 pod: nothing is held back');
    expect(second).toMatch(/^test http:\/\/\S+ v1\.34\.4, read \d\d:\d\d:\d\dZ in \d+\.\d s, \d+ requests$/);
    expect(Number(/(\d+) requests/.exec(second ?? '')?.[1])).toBe(asked.length);
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  });

  test('says that a namespace does not exist', async () => {
    const { stdout, status: code } = await strata({ objects: [shop] }, '-n', 'shpo');
    expect(stdout).toMatch(/^shpo {2}NOTHING MATCHED {2}there is no namespace "shpo" here\n/);
    expect(stdout).toMatch(/kubectl --kubeconfig \S+ get namespaces/);
    expect(code).toBe(4);
  });

  test('takes a type alone for all of that type, and reads it where nothing else does', async () => {
    const { stdout, status: code } = await strata({ objects: [shop, deployment('web'), deployment('api')] }, 'deployments');
    expect(stdout).toMatch(/^shop Deployment\/\w+, Deployment\/\w+ /);
    expect(code).not.toBe(4);
    const volume = { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'disk', uid: 'u' }, spec: {}, status: { phase: 'Available' } };
    expect((await strata({ objects: [shop, volume] }, 'pv')).stdout).toMatch(/^shop PersistentVolume\/disk /);
  });

  test('says that an object does not exist', async () => {
    const { stdout, status: code } = await strata({ objects: [shop] }, 'deployment/wbe');
    expect(stdout).toMatch(/^shop Deployment\/wbe {2}NOTHING MATCHED {2}there is no such object here\n/);
    expect(code).toBe(4);
  });

  test('says that the server does not serve the kind of an object, which is another thing', async () => {
    const resources = RESOURCES.filter(({ group }) => group !== 'autoscaling');
    const { stdout, status: code } = await strata({ objects: [shop], resources }, 'hpa/web');
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('NOTHING MATCHED this server does not serve HorizontalPodAutoscaler of autoscaling/v2, so none can be here');
    expect(code).toBe(4);
  });

  test('takes a refusal for what it is, and not for emptiness', async () => {
    const forbidden = 'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "shop"';
    const intercept: DoubleOptions['intercept'] = (url, response) => (url.pathname.endsWith('/pods') ? reply(response, 403, status(403, 'Forbidden', forbidden)) : false);
    const { stdout, status: code } = await strata({ objects: [shop, deployment('web')], intercept });
    expect(stdout).toMatch(/^shop {2}INCONCLUSIVE {2}Pods could not be read\n/);
    expect(stdout).toMatch(/^not seen {2}Pods \(forbidden\)/m);
    expect(stdout).toMatch(/kubectl strata access --kubeconfig \S+ -n shop/);
    expect(code).toBe(3);
  });
});

describe('access', () => {
  const rights = (more: Partial<Rights> = {}): Rights => ({ local: {}, cluster: [], heard: [], ...more });
  const reader = { verbs: ['list'], apiGroups: ['*'], resources: ['*'] };

  test('names what is refused with its cost, and how to get it', async () => {
    const { stdout, stderr, status: code } = await strata(reviewing(rights({ local: { shop: [reader] }, user: 'jane' })), 'access');
    const [first] = stdout.split('\n');
    expect(first).toMatch(/^shop {2}ACCESS IN PART {2}\d+ of \d+ readings refused to jane$/);
    expect(stdout.replace(/\s+/g, ' ')).toMatch(/nodes \(list\): hides nodes that are lost, under pressure or full\. \d+ rules cannot judge, \d+ say less: .*kubelet/);
    expect(stdout).toMatch(/kubectl strata access --kubeconfig \S+ -n shop -o yaml > roles\.yaml/);
    // A command is one line, however long.
    expect(stdout.split('\n').filter((line) => line.length > 80 && !line.includes('kubectl strata access'))).toEqual([]);
    expect({ stderr, code }).toEqual({ stderr: '', code: 3 });
  });

  test('writes what is missing as roles that suffice', async () => {
    const { stdout, status: code } = await strata(reviewing(rights({ local: { shop: [reader] }, user: 'system:serviceaccount:ci:deployer' })), 'access', '-o', 'yaml');
    expect(code).toBe(3);
    const roles = loadAll(stdout, null, { schema: JSON_SCHEMA }) as { kind: string; metadata: { namespace?: string }; rules: Right[]; subjects?: object[] }[];
    expect(roles.map(({ kind }) => kind)).toEqual(['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding']);
    expect(roles[1]?.subjects).toEqual([{ kind: 'ServiceAccount', name: 'deployer', namespace: 'ci' }]);
    expect(roles.flatMap((role) => (role.rules ?? []).flatMap(({ resources }) => resources))).not.toContain('secrets');
    expect(roles.find(({ kind }) => kind === 'Role')?.rules).toEqual([{ apiGroups: [''], resources: ['serviceaccounts'], verbs: ['get'] }]);
    const granted = await strata(reviewing(rights({ local: { shop: [reader, ...(roles[2]?.rules ?? [])] }, cluster: roles[0]?.rules ?? [] })), 'access', '-o', 'json');
    const left = validBy('access', JSON.parse(granted.stdout) as Access).answers.filter(({ allowed }) => !allowed).map(({ kind }) => kind);
    expect([...new Set(left)].sort()).toEqual(['ConfigMap', 'Secret']);
  });

  test('says so where nothing is missing, and writes everything where the whole is asked for', async () => {
    const everything = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };
    const all = await strata(reviewing(rights({ cluster: [everything] })), 'access', '-A');
    expect(all.stdout).toContain('all namespaces  ACCESS ALL  ');
    expect(all.status).toBe(0);
    expect((await strata(reviewing(rights({ cluster: [everything] })), 'access', '-o', 'yaml')).stdout).toMatch(/^# Nothing is missing/);
    expect((await strata(reviewing(rights({ cluster: [everything] })), 'access', '-o', 'yaml', '--whole')).stdout).toMatch(/kind: ClusterRole\n[^]*- pods\n[^]*kind: Role\n/);
  });

  test('refuses what it cannot write, and tells who does not answer', async () => {
    const wrong = await strata(reviewing(rights()), 'access', '-o', 'junit');
    expect([wrong.status, wrong.stderr]).toEqual([64, 'There is no output format "junit" of what may be read.\n-o takes one of: text, json, yaml.\n']);
    const nobody = await strata({}, 'access', '--server', 'http://127.0.0.1:1');
    expect(nobody.stdout).toMatch(/ACCESS NOT TOLD {2}.*ECONNREFUSED/);
    expect(nobody.status).toBe(5);
    const unheard = validBy('access', JSON.parse((await strata({}, 'access', '--server', 'http://127.0.0.1:1', '-o', 'json')).stdout) as Access);
    expect(unheard.failure).toContain('ECONNREFUSED');
    const { answers: [first], ...rest } = validBy('access', JSON.parse((await strata(reviewing(rights()), 'access', '-A', '-o', 'json')).stdout) as Access);
    expect(rest.costs.length).toBeGreaterThan(3);
    expect(wrongBy('access', { ...rest, answers: [{ ...first, allowed: 'no' }] })).toContain('allowed');
    expect(wrongBy('access', rest)).toContain('answers');
  });
});
