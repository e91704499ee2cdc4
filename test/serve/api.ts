/** A recording that is served in this process, and how to ask it. */
import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import type { Coverage } from '../../src/model/coverage.ts';
import type { KubeObject } from '../../src/model/kinds.ts';
import { Snapshot } from '../../src/model/snapshot.ts';
import { type Served, type ServeOptions, serveSnapshot } from '../../src/serve/index.ts';
import { NOW, brokenPod } from '../bundles/world.ts';

export interface Answer {
  code: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** Parsed, where it is JSON. */
  body: Fields;
}

export type Fields = { [field: string]: unknown; items?: Fields[]; metadata?: Fields; rows?: { cells: unknown[]; object?: Fields }[]; columnDefinitions?: { name: string; priority: number }[] };

export interface Api extends Served {
  get(path: string, headers?: Record<string, string>, method?: string, body?: string | Buffer): Promise<Answer>;
}

export interface Recorded {
  objects?: KubeObject[];
  coverage?: Coverage[];
  options?: ServeOptions;
}

/** Namespace `shop` was listed but for a few kinds; of `calm` it is known that it has no pods. */
export const COVERAGE: Coverage[] = [
  ...['Pod', 'Deployment', 'ReplicaSet', 'Service'].map((kind): Coverage => ({ kind, namespace: 'shop', state: 'complete', count: 1, resourceVersion: '120' })),
  { kind: 'Event', namespace: 'shop', state: 'complete', count: 1, resourceVersion: '121' },
  { kind: 'Pod', namespace: 'calm', state: 'complete', count: 0, resourceVersion: '120' },
  { kind: 'Node', namespace: null, state: 'complete', count: 1, resourceVersion: '120' },
  { kind: 'Namespace', namespace: null, state: 'complete', count: 1, selector: 'metadata.name=shop' },
  { kind: 'Namespace', namespace: null, state: 'complete', count: 0, selector: 'metadata.name=gone', code: 404 },
  { kind: 'Secret', namespace: 'shop', state: 'forbidden', count: 0, code: 403, message: 'secrets is forbidden: User "ci" cannot list resource "secrets"' },
  { kind: 'Job', namespace: 'shop', state: 'failed', count: 0, code: 500, message: 'etcdserver: request timed out' },
  { kind: 'Gateway', namespace: 'shop', state: 'not-served', count: 0, code: 404 },
];

export async function startApi({ objects = brokenPod(), coverage = COVERAGE, options }: Recorded = {}): Promise<Api> {
  const snapshot = new Snapshot({
    objects,
    coverage,
    capturedAt: NOW,
    source: { kind: 'recording', name: 'test' },
    cost: { requests: 0, bytes: 0, ms: 0 },
    server: {
      kind: 'APIServer',
      apiVersion: 'kubectl-strata/v1',
      metadata: { name: 'h' },
      endpoint: 'https://h:6443',
      version: 'v1.34.4',
      reached: true,
      connection: [],
      failures: [],
      health: [
        { path: '/readyz', check: '', ok: false, code: 500, message: 'readyz check failed' },
        { path: '/readyz', check: 'etcd', ok: false, message: 'failed: reason withheld' },
      ],
    },
  });
  const served = await serveSnapshot(snapshot, options);
  return { ...served, get: (path, headers, method, body) => ask(served, path, headers, method, body) };
}

export function ask({ url, token, certificate }: Served, path: string, headers: Record<string, string> = {}, method = 'GET', body?: string | Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(url);
    const sent = request({ host: '127.0.0.1', port, path, method, ca: certificate, headers: { Authorization: `Bearer ${token}`, ...headers }, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => void chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const isJson = /json/.test(response.headers['content-type'] ?? '') && !/"type":"(?:ADDED|BOOKMARK|ERROR)"/.test(text.slice(0, 30));
        resolve({ code: response.statusCode ?? 0, headers: response.headers, text, body: isJson && text !== '' ? (JSON.parse(text) as Fields) : {} });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
