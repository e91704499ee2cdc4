/** Parts of sample reports: subjects, evidence, findings, workloads. */
import type { Effect, Evidence, Finding, Subject } from '../../src/model/finding.ts';
import type { Report, WorkloadState } from '../../src/model/report.ts';
export const CAPTURED = '2026-03-01T13:20:05Z';

export const base = (patch: Partial<Report>): Report => ({
  apiVersion: 'kubectl-strata/v1',
  kind: 'Report',
  verdict: 'failed',
  capturedAt: CAPTURED,
  source: { kind: 'cluster', name: 'https://10.0.0.1:6443', server: 'https://10.0.0.1:6443', version: 'v1.34.4', context: 'prod-eu' },
  scope: { namespaces: ['orders'], all: false, targets: [] },
  findings: [],
  workloads: [],
  open: [],
  counts: {},
  coverage: [],
  skipped: [],
  broken: [],
  notes: [],
  cost: { requests: 21, bytes: 182_000, ms: 412 },
  ...patch,
});

export const subject = (kind: string, name: string, namespace?: string): Subject => ({
  apiVersion: 'v1',
  kind,
  ...(namespace ? { namespace } : {}),
  name,
  uid: `${Buffer.from(name).toString('hex').slice(0, 8).padEnd(8, '0')}-0000-4000-8000-000000000000`,
});

export const effect = (kind: string, name: string, says: string, namespace = 'orders'): Effect => ({ kind, namespace, name, says });

export const evidence = (object: Subject, pointer: string, text: string, time?: string): Evidence => ({
  object: { ...object, resourceVersion: '1001' },
  pointer,
  value: text,
  ...(time ? { time } : {}),
  text,
});

export const workload = (kind: string, name: string, patch: Partial<WorkloadState> = {}, namespace = 'orders'): WorkloadState => ({
  apiVersion: 'apps/v1', kind, namespace, name, verdict: 'healthy', layers: {}, ...patch,
});

export const finding = (on: Subject, patch: Partial<Finding>): Finding => ({
  id: `test:${on.name}`,
  rule: 'test',
  layer: 'cri',
  stage: 'image',
  role: 'root',
  certainty: 'proven',
  permanence: 'corroborated',
  on,
  subjects: [on],
  title: '',
  expected: '',
  actual: '',
  conclusion: '',
  evidence: [],
  effects: [],
  next: [],
  chain: [],
  layers: {},
  unread: [],
  breaks: ['ready'],
  ...patch,
});

export const wells = (count: number, namespace = 'orders'): WorkloadState[] =>
  Array.from({ length: count }, (_, index) => workload('Deployment', `well-${index + 1}`, {}, namespace));

export const PASSED = { api: 'ok', admission: 'ok', controller: 'ok', scheduler: 'ok' } as const;
