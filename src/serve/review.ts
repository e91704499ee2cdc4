import type { Snapshot } from '../model/snapshot.ts';
import type { ServedResource } from './resources.ts';
import type { Store } from './store.ts';

interface Attributes {
  namespace?: unknown;
  verb?: unknown;
  group?: unknown;
  resource?: unknown;
  name?: unknown;
}

const READS = new Set(['get', 'list', 'watch']);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** SelfSubjectAccessReview: what the recording shows that its maker was allowed to read; nothing may be written. */
export function reviewAccess(spec: unknown, store: Store, served: readonly ServedResource[]): object {
  const fields = (spec ?? {}) as { resourceAttributes?: Attributes; nonResourceAttributes?: Attributes };
  const { namespace, verb, group, resource, name } = fields.resourceAttributes ?? {};
  const answer = (): { allowed: boolean; reason?: string; evaluationError?: string } => {
    if (!fields.resourceAttributes) return { allowed: text(fields.nonResourceAttributes?.verb) === 'get', reason: '' };
    if (!READS.has(text(verb))) return { allowed: false, reason: 'the recording is read-only' };
    const found = served.find((each) => each.resource === text(resource) && each.group === text(group));
    if (!found) return { allowed: false, evaluationError: 'the recording knows no such resource' };
    const listing = store.list(found, text(namespace) || undefined, text(name) ? [{ field: 'metadata.name', value: text(name), not: false }] : []);
    if (listing.state === 'list') return { allowed: true, reason: 'it was read when the recording was made' };
    const { reason, message } = listing.status;
    // Only a refusal is an answer about rights; of a list that nobody made, or that failed, a review cannot say "unknown".
    return reason === 'Forbidden' ? { allowed: false, reason: message } : { allowed: false, evaluationError: message };
  };
  return { kind: 'SelfSubjectAccessReview', apiVersion: 'authorization.k8s.io/v1', metadata: { creationTimestamp: null }, spec: fields, status: answer() };
}

/** SelfSubjectRulesReview: rebuilt from the lists that came, and so incomplete. */
export function reviewRules(spec: unknown, snapshot: Snapshot, served: readonly ServedResource[]): object {
  const namespace = text((spec as { namespace?: unknown } | null)?.namespace);
  const readable = served.filter((each) => snapshot.gap(each.key, each.namespaced ? namespace : undefined) === null);
  return {
    kind: 'SelfSubjectRulesReview',
    apiVersion: 'authorization.k8s.io/v1',
    metadata: { creationTimestamp: null },
    spec: { namespace },
    status: {
      resourceRules: readable.map(({ group, resource }) => ({ verbs: ['get', 'list', 'watch'], apiGroups: [group], resources: [resource] })),
      nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/api', '/api/*', '/apis', '/apis/*', '/healthz', '/livez', '/readyz', '/version'] }],
      incomplete: true,
      evaluationError: 'rebuilt from what was read when the recording was made',
    },
  };
}
