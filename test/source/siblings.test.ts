import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/model/kinds.ts';
import { type Door, admit } from '../../src/source/door.ts';
import { createNotes } from '../../src/source/notes.ts';
import { createRedactor } from '../../src/source/redact.ts';

/** Pods of one owner are compared with the one before; whatever comes of that must be what each would have come to by itself. */
const KEY = 'the same in all doors, so that equal values have equal markers';
const newDoor = (typed = false): Door => ({ notes: createNotes(), redactor: createRedactor(KEY), ...(typed ? { typed } : {}) });

type Json = Record<string, unknown>;
const container = (suffix: string): Json => ({
  name: 'app', image: 'registry.example.com/app:1', command: ['app', '--port=8080'], args: ['--level', 'debug'],
  env: [{ name: 'LEVEL', value: 'debug' }, { name: 'DB_PASSWORD', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } }],
  ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }], resources: { requests: { cpu: '100m' }, limits: {} },
  readinessProbe: { httpGet: { path: '/ready', port: 'http', httpHeaders: [{ name: 'X-Mode', value: 'probe' }] }, periodSeconds: 10 },
  lifecycle: { preStop: { exec: { command: ['sleep', '5'] } } },
  volumeMounts: [{ name: `kube-api-access-${suffix}`, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount', readOnly: true }], tty: false,
});
const pod = (name: string, containers: unknown, more: Json = {}, owner: unknown = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-1', uid: 'rs-1' }]): Json =>
  ({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'x', ownerReferences: owner }, spec: { nodeName: 'node-1', containers, ...more }, status: {} });

const plain = (): Json[] => [pod('web-a', [container('aaaaa')]), pod('web-b', [container('bbbbb')])];
/** The last of them, behind those before it, and in a door of its own. */
function last(pods: readonly unknown[], typed = false): [behind: string, alone: string] {
  const door = newDoor(typed);
  const admitted = pods.map((each) => JSON.stringify(admit(structuredClone(each), door)));
  return [admitted.at(-1) as string, JSON.stringify(admit(structuredClone(pods.at(-1)), newDoor(typed)))];
}

/** Every place below, as a path. */
function places(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (value === null || typeof value !== 'object') return [path];
  return [...(path.length > 0 ? [path] : []), ...Object.entries(value).flatMap(([key, held]) => places(held, [...path, Array.isArray(value) ? Number(key) : key]))];
}

function holderOf(value: unknown, path: readonly (string | number)[]): [holder: Json, key: string] {
  const holder = path.slice(0, -1).reduce((held, key) => (held as Json)[key] as Json, value as Json);
  return [holder, String(path.at(-1))];
}

const HOSTILE: unknown[] = ['--token=hunter2', 'postgres://app:hunter2@db/shop', 'AKIAHUNTER2HUNTER222', '', 7, true, null, {}, [], { password: 'hunter2' }, ['--password', 'hunter2'], [null, 7, { name: 'API_TOKEN', value: 'hunter2' }]];

describe('a pod behind its siblings is what it would be alone', () => {
  const paths = places([container('ccccc')]);

  test.each(paths.map((path) => [path.join('.'), path] as const))('another value at %s', (_name, path) => {
    for (const typed of [false, true]) for (const value of HOSTILE) {
      const containers = [container('ccccc')];
      const [holder, key] = holderOf(containers, path);
      holder[key] = value;
      const [behind, alone] = last([...plain(), pod('web-c', containers)], typed);
      expect(behind, JSON.stringify(value)).toBe(alone);
    }
  });

  test.each(paths.map((path) => [path.join('.'), path] as const))('without %s, and with something beside it', (_name, path) => {
    const without = [container('ccccc')];
    const [from, gone] = holderOf(without, path);
    if (Array.isArray(from)) from.splice(Number(gone), 1);
    else delete from[gone];
    const beside = [container('ccccc')];
    const [to] = holderOf(beside, path);
    if (Array.isArray(to)) to.push({ name: 'API_TOKEN', value: 'hunter2' });
    else Object.assign(to, { value: 'hunter2', name: 'API_TOKEN' });
    for (const containers of [without, beside]) {
      const [behind, alone] = last([...plain(), pod('web-c', containers)]);
      expect(behind).toBe(alone);
    }
  });

  test.each(paths.filter((path) => typeof path.at(-1) === 'string').map((path) => [path.join('.'), path] as const))('another name for %s', (_name, path) => {
    for (const name of ['token', 'value', 'args']) {
      const containers = [container('ccccc')];
      const [holder, key] = holderOf(containers, path);
      const renamed = Object.fromEntries(Object.entries(holder).map(([each, held]) => [each === key ? name : each, held]));
      for (const each of Object.keys(holder)) delete holder[each];
      Object.assign(holder, renamed);
      const [behind, alone] = last([...plain(), pod('web-c', containers)]);
      expect(behind).toBe(alone);
    }
  });

  test('the names of the fields in another order, and names that JavaScript knows', () => {
    const reversed = Object.fromEntries(Object.entries(container('ccccc')).reverse());
    const named = JSON.parse(`{"__proto__":{"env":[{"name":"API_TOKEN","value":"hunter2"}]},"constructor":"x",${JSON.stringify(container('ccccc')).slice(1)}`) as Json;
    for (const containers of [[reversed], [named], [{ ...container('ccccc'), toString: 'x' }]]) {
      const [behind, alone] = last([...plain(), pod('web-c', containers)]);
      expect(behind).toBe(alone);
    }
  });

  test('as many containers under other names, more of them, none', () => {
    const one = container('ccccc');
    for (const spec of [
      { containers: [one, one] }, { containers: [] }, { containers: null }, { containers: 'app' }, { containers: { 0: one } }, { containers: [null] }, { containers: [[one]] }, {},
      { containers: [one], initContainers: [one] }, { initContainers: [one] }, { containers: [one], initContainers: [] }, { containers: [one], initContainers: null },
      { containers: [one], ephemeralContainers: [{ name: 'debug', env: [{ name: 'API_TOKEN', value: 'hunter2' }] }] },
      { containers: [one], volumes: [{ name: 'v', csi: { driver: 'd', volumeAttributes: { password: 'hunter2' } } }] },
    ]) {
      const [behind, alone] = last([...plain(), { ...pod('web-c', []), spec }]);
      expect(behind).toBe(alone);
      expect(alone).not.toMatch(/"value":"hunter2"|"password":"hunter2"/);
    }
    // A boundary between two lists is none between two containers.
    const init = (name: string): Json => pod(name, [one], { initContainers: [container('ccccc')] });
    const [behind, alone] = last([init('a'), init('b'), pod('c', [one, container('ccccc')])]);
    expect(behind).toBe(alone);
  });

  test('all that stands beside the containers is its own', () => {
    const status = { message: 'login failed: password=hunter2', containerStatuses: [{ name: 'app', lastState: { terminated: { exitCode: 1, message: 'DB_PASSWORD=hunter2' } } }] };
    const third = { ...pod('web-c', [container('ccccc')], { nodeName: 7 }), status };
    const [behind, alone] = last([...plain(), third]);
    expect(behind).toBe(alone);
    expect(behind).not.toContain('hunter2');
    expect(behind).toContain('kube-api-access-ccccc');
    expect(JSON.parse(behind)).toMatchObject({ metadata: { name: 'web-c' }, spec: { containers: [{ volumeMounts: [{ name: 'kube-api-access-ccccc' }] }] } });
  });
});

describe('secrets in every sibling', () => {
  test.each<[string, Json]>([
    ['a variable', { env: [{ name: 'DB_PASSWORD', value: 'hunter2' }] }], ['an argument', { args: ['--token=hunter2'] }], ['a header', { livenessProbe: { httpGet: { httpHeaders: [{ name: 'Authorization', value: 'Bearer hunter2' }] } } }],
    ['a manifest in a variable', { env: [{ name: 'SEED', value: '{"kind":"Secret","data":{"x":"hunter2"}}' }] }], ['a name written with escapes', JSON.parse('{"\\u0065nv":[{"n\\u0061me":"DB_\\u0050ASSWORD","value":"\\u0068unter2"}]}') as Json],
  ])('%s: taken out of each', (_name, more) => {
    const door = newDoor();
    const all = ['a', 'b', 'c', 'd', 'e'].map((name) => JSON.stringify(admit(pod(name, [{ ...container(name), ...structuredClone(more) }]), door)));
    for (const text of all) expect(text).not.toContain('hunter2');
    expect(new Set(all.map((text) => JSON.stringify((JSON.parse(text) as { spec: { containers: Json[] } }).spec.containers.map(({ volumeMounts: _, ...rest }) => rest)))).size).toBe(1);
  });

  test('and in one that comes after many without, or before', () => {
    const secret = (name: string): Json => pod(name, [{ ...container(name), args: ['--level', 'hunter2'], command: ['app', '--token'] }]);
    const forged = (name: string): Json => pod(name, [{ ...container(name), env: [{ name: 'DB_PASSWORD', value: 'debug' }, { name: 'LEVEL', valueFrom: {} }] }]);
    for (const pods of [[...plain(), secret('c'), ...plain()], [secret('c'), secret('d'), ...plain()], [...plain(), forged('c')], [forged('c'), forged('d'), ...plain(), forged('e')]]) {
      for (let length = 1; length <= pods.length; length++) {
        const [behind, alone] = last(pods.slice(0, length));
        expect(behind).toBe(alone);
      }
    }
  });
});

describe('nobody is believed', () => {
  test('what an API server sent in its own types is no sibling of what lay in a file', () => {
    const forged = (name: string): Json => pod(name, [{ ...container(name), resources: 'none', command: 'app', image: 7 }]);
    const typed = newDoor(true);
    const behind = [forged('a'), forged('b'), forged('c')].map((each) => admit(structuredClone(each), typed));
    expect(behind.every(Boolean)).toBe(true);
    const [untyped, alone] = last([forged('a'), forged('b'), forged('c')]);
    expect(untyped).toBe(alone);
    expect(untyped).not.toMatch(/"image":7|"resources":"none"/);
  });

  test('an owner in common is no reason, nor is it needed to say so in the right type', () => {
    for (const owner of [null, 'rs-1', [], [null], [7], [{ uid: 7 }], [{ uid: 'rs-1' }], { 0: { uid: 'rs-1' } }]) for (const typed of [false, true]) {
      const [behind, alone] = last([pod('a', [container('a')], {}, owner), pod('b', [container('b')], {}, owner), pod('c', [{ ...container('c'), args: ['--token=hunter2'] }], {}, owner)], typed);
      expect(behind).toBe(alone);
      expect(behind).not.toContain('hunter2');
    }
  });

  test('nothing is too deep or too long', () => {
    const deep = (): unknown => JSON.parse(`${'{"a":'.repeat(4_000)}{"password":"x"}${'}'.repeat(4_000)}`);
    const long = Array.from({ length: 30_000 }, (_, i) => ({ name: `V${i}`, value: 'x' }));
    const door = newDoor();
    for (const more of [{ a: deep }, { env: () => structuredClone(long) }]) {
      const admitted = ['a', 'b', 'c'].map((name) => admit(pod(name, [{ ...container(name), ...Object.fromEntries(Object.entries(more).map(([key, make]) => [key, make()])) }]), door) as KubeObject);
      expect(admitted.map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'c']);
    }
  });
});

test('equal parts are held once, and the rest by each', () => {
  const door = newDoor();
  const [, second, third] = [...plain(), pod('web-c', [container('ccccc')])].map(
    (each) => (admit(structuredClone(each), door) as unknown as { spec: { containers: Json[] } }).spec.containers[0] as Json,
  );
  expect(third?.['env']).toBe(second?.['env']);
  expect(third).not.toBe(second);
  expect(third?.['volumeMounts']).not.toEqual(second?.['volumeMounts']);
});
