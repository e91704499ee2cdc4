/** A cluster of a few objects in this process, read as the program reads one. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { type Opened, type SourceOptions, openSource } from '../../src/source/index.ts';
import { type Double, type DoubleOptions, startDouble } from './api-double.ts';

export interface Doubles {
  /** Closed after the test. */
  start(options?: DoubleOptions): Promise<Double>;
  /** Reads a double as the flags alone say, with no kubeconfig of this machine. */
  open(double: { url: string }, options?: SourceOptions): Promise<Opened>;
  /** A folder of this file's tests, and a kubeconfig with nothing in it. */
  dir(): string;
  empty(): string;
  /** Something else to close after the test. */
  running: { close(): Promise<void> }[];
}

/** Called once at the top of a test file. */
export function doubles(): Doubles {
  const running: { close(): Promise<void> }[] = [];
  let dir = '';
  let empty = '';
  afterEach(async () => {
    for (const one of running.splice(0)) await one.close();
  });
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'strata-cluster-'));
    empty = join(dir, 'empty');
    await writeFile(empty, 'apiVersion: v1\nkind: Config\n');
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));
  return {
    running,
    dir: () => dir,
    empty: () => empty,
    async start(options = {}) {
      const double = await startDouble(options);
      running.push(double);
      return double;
    },
    open: (double, options = {}) => openSource({ namespaces: ['orders'], ...options, kube: { kubeconfig: empty, server: double.url, token: 'secret-token', ...options.kube } }),
  };
}

export const meta = (name: string, more: object = {}) => ({
  name,
  namespace: 'orders',
  uid: `uid-${name}`,
  resourceVersion: '5',
  generation: 1,
  creationTimestamp: '2026-01-01T00:00:00Z',
  ...more,
});
export const ready = {
  phase: 'Running',
  conditions: [{ type: 'Ready', status: 'True' }],
  containerStatuses: [{ name: 'c', ready: true, state: { running: {} } }],
};
export const pod = (name: string, more: object = {}, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: meta(name, metadata),
  spec: { nodeName: 'n1', containers: [{ name: 'c' }] },
  status: ready,
  ...more,
});
export const node = (name: string, value = 'True') => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, uid: name },
  status: { conditions: [{ type: 'Ready', status: value }] },
});
export const space = (name: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, uid: `ns-${name}`, ...more },
  status: { phase: 'Active' },
});
export const world = (...objects: unknown[]) => [space('orders'), space('kube-system'), space('default'), node('n1'), ...objects];
export const pods = (count: number, more: object = {}) => Array.from({ length: count }, (_, i) => pod(`p${i}`, more));
