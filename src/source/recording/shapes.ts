import type { Shape } from '../shapes.ts';

/** What the parts of a recording must be to be used; recordings travel, and may come back changed. */
export const MANIFEST_SHAPE: Shape = {
  kind: 'string',
  formatVersion: 'number',
  tool: 'string',
  capturedAt: 'string',
  source: 'string',
  notes: 'strings',
  cost: { requests: 'number', bytes: 'number', ms: 'number' },
  scope: { namespaces: 'strings', all: 'boolean', selector: 'string', targets: [{ kind: 'string', name: 'string', namespace: 'string' }] },
};

export const SERVER_SHAPE: Shape = {
  kind: 'string',
  apiVersion: 'string',
  metadata: { name: 'string', uid: 'string' },
  endpoint: 'string',
  context: 'string',
  user: 'string',
  serverName: 'string',
  version: 'string',
  reached: 'boolean?',
  consistentRead: 'boolean',
  connection: [{ step: 'string', ok: 'boolean', ms: 'number', code: 'string', message: 'string' }],
  health: [{ path: 'string', check: 'string', ok: 'boolean', code: 'number', message: 'string' }],
  failures: [{ path: 'string', code: 'number?', reason: 'string', message: 'string', at: 'string' }],
  certificate: { subject: 'string', issuer: 'string', notBefore: 'string', notAfter: 'string', names: 'strings' },
  credential: { kind: 'string', subject: 'string', notBefore: 'string', notAfter: 'string' },
};

export const COVERAGE_SHAPE: Shape = [
  {
    kind: 'string',
    namespace: 'string?',
    state: 'string',
    count: 'number',
    resourceVersion: 'string',
    selector: 'string',
    code: 'number',
    message: 'string',
    readAt: 'string',
  },
];

export const STATES: ReadonlySet<string> = new Set(['complete', 'not-served', 'forbidden', 'failed', 'truncated', 'not-collected', 'expired']);
