import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { READINGS } from '../../src/model/reads.ts';
import { RESOURCES } from '../../src/model/resources.ts';
import { readAccess } from '../../src/source/cluster/access.ts';
import { validBy } from '../schemas.ts';
import { startDouble } from './api-double.ts';
import { type Rights, reviewing } from './reviews.ts';

const EVERYTHING = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };

async function ask(rights: Partial<Rights>, options: { namespaces?: string[]; all?: boolean } = {}) {
  const full: Rights = { local: {}, cluster: [], heard: [], ...rights };
  const server = await startDouble(reviewing(full));
  try {
    const access = await readAccess({ kube: { server: server.url, token: 'x' }, namespaces: ['shop'], ...options });
    validBy('access', { ...access, costs: [] });
    return { access, heard: full.heard, asked: server.asked };
  } finally {
    await server.close();
  }
}

describe('what may be read', () => {
  test('is everything for who may everything, and nothing is sent but reviews of oneself', async () => {
    const { access, heard } = await ask({ cluster: [EVERYTHING], user: 'root' });
    expect(access.user).toBe('root');
    expect(access.answers.filter(({ allowed }) => allowed !== true)).toEqual([]);
    expect(heard.filter(({ path }) => !/^\/apis\/auth(?:oriz|entic)ation\.k8s\.io\/v1\/selfsubject(?:access|rules)?reviews$/.test(path))).toEqual([]);
    expect(new Set(access.answers.map(({ kind }) => kind))).toEqual(new Set(READINGS.map(({ kind }) => kind)));
  });

  test('of a namespace is told by one review, and of the cluster by one a kind', async () => {
    const { access, heard } = await ask({ local: { shop: [{ verbs: ['get', 'list'], apiGroups: ['', 'apps'], resources: ['pods', 'events', 'deployments'] }] } });
    const allowed = access.answers.filter(({ allowed }) => allowed).map(({ kind, namespace, verb }) => `${verb} ${kind} ${namespace}`);
    expect(allowed.sort()).toEqual(['list Deployment shop', 'list Event shop', 'list Pod shop']);
    expect(heard.filter(({ path }) => path.endsWith('rulesreviews'))).toHaveLength(1);
    expect(access.answers.find(({ kind, namespace }) => kind === 'Pod' && namespace === null)?.allowed).toBe(false);
  });

  test('does not hold for nodes where a ClusterRole is bound in the namespace only', async () => {
    const { access } = await ask({ local: { shop: [EVERYTHING] } });
    expect(access.answers.find(({ kind }) => kind === 'Node')).toMatchObject({ allowed: false, namespace: null, message: 'no rule allows it' });
    expect(access.answers.find(({ kind, namespace }) => kind === 'Pod' && namespace === 'shop')?.allowed).toBe(true);
  });

  test('is no list where only names are allowed; a namespace is read by its name', async () => {
    const { access } = await ask({
      local: { shop: [{ verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'], resourceNames: ['web'] }] },
      cluster: [{ verbs: ['get'], apiGroups: [''], resources: ['namespaces'], resourceNames: ['shop'] }],
    });
    expect(access.answers.find(({ kind, namespace }) => kind === 'Pod' && namespace === 'shop')?.allowed).toBe(false);
    expect(access.answers.find(({ kind }) => kind === 'Namespace')?.allowed).toBe(true);
  });

  test('is asked one by one where the authorizer cannot list its rules', async () => {
    const { access, heard } = await ask({ incomplete: true, cluster: [{ verbs: ['list'], apiGroups: [''], resources: ['pods'] }] });
    expect(access.answers.filter(({ allowed }) => allowed === null)).toEqual([]);
    expect(heard.length).toBeGreaterThan(access.answers.length - 3);
  });

  test('over all namespaces is one question a kind', async () => {
    const { access, heard } = await ask({ cluster: [{ verbs: ['list'], apiGroups: [''], resources: ['pods'] }] }, { namespaces: [], all: true });
    const pods = access.answers.filter(({ kind }) => kind === 'Pod');
    expect(pods).toMatchObject([{ namespace: null, allowed: true, when: 'always' }]);
    expect(heard.some(({ path }) => path.endsWith('rulesreviews'))).toBe(false);
  });

  test('is unknown where no review is answered, never refused', async () => {
    const server = await startDouble();
    const access = await readAccess({ kube: { server: server.url, token: 'x' }, namespaces: ['shop'] });
    await server.close();
    expect(new Set(access.answers.map(({ allowed }) => allowed))).toEqual(new Set([null]));
  });

  test('is told of no server that does not answer', async () => {
    const access = await readAccess({ kube: { server: 'http://127.0.0.1:1', token: 'x' }, namespaces: ['shop'] });
    expect(access.failure).toMatch(/ECONNREFUSED/);
    expect(access.answers).toEqual([]);
  });
});

test('the readings are those of the plan', () => {
  const folder = join(import.meta.dirname, '..', '..', 'src', 'source', 'cluster');
  const plan = readdirSync(folder).filter((name) => /^(?:needs|stage)/.test(name)).map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
  const named = RESOURCES.map(({ kind }) => kind).filter((kind) => new RegExp(`'${kind}'`).test(plan));
  const known = new Set(READINGS.map(({ kind }) => kind));
  expect(named.filter((kind) => !known.has(kind))).toEqual([]);
  expect([...known].filter((kind) => !named.includes(kind))).toEqual([]);
});
