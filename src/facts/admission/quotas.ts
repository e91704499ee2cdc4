import type { KubeObject } from '../../model/kinds.ts';
import type { Stage } from '../../model/layer.ts';
import { maybe, need } from '../../model/read.ts';
import { type Addressed, evidenceAt, pointerTo } from '../address.ts';
import type { Family } from '../family.ts';
import { lazy } from '../lazy.ts';
import { textsOf } from '../lists.ts';
import { formatQuantity, quantityOf } from '../quantity.ts';
import type { World } from '../world.ts';

/** One limit of a ResourceQuota and what counts against it; numbers in base units. */
export interface QuotaUse extends Addressed {
  resource: string;
  used: number;
  hard: number;
  free: number;
  full: boolean;
}

export interface Quota extends Addressed {
  /** A quota is never short of anything: a full one does its work. */
  at: Stage[];
  uses: QuotaUse[];
  full: QuotaUse[];
}

/** The facts of a ResourceQuota, made once a snapshot. */
export function quotaFacts(world: World, quota: KubeObject): Quota {
  return world.memo(quota, 'quota', () =>
    lazy<Quota>({
      at: () => ['goal'],
      uses: () => usesOf(quota),
      full: () => usesOf(quota).filter((use) => use.full),
      evidence: () =>
        evidenceAt(
          quota,
          '/status',
          `${quota.kind} ${quota.metadata.name}: ${usesOf(quota)
            .map((use) => use.evidence.text)
            .join(', ')}`,
        ),
    }),
  );
}

const SPANNING = 'ClusterResourceQuota';

/**
 * The quota that a refusal names; null where there is none, or none any more. OpenShift's ClusterResourceQuota counts over several
 * namespaces and refuses in the same words (openshift/apiserver-library-go, quota/clusterresourcequota). Raises Unknown where it was not read.
 */
export function quotaNamed(world: World, namespace: string, name: string): KubeObject | null {
  const own = need(world.snapshot.get('ResourceQuota', namespace, name));
  if (own) return own;
  const spanning = world.snapshot.get(`${SPANNING}.quota.openshift.io`, undefined, name);
  return spanning.state === 'unknown' && !isOpenShift(world, namespace) ? null : need(spanning);
}

// Written on every namespace there (openshift/cluster-policy-controller, namespace-security-allocation).
const isOpenShift = (world: World, namespace: string): boolean =>
  world.snapshot.kinds().some((kind) => kind.endsWith('.openshift.io')) ||
  Object.keys(textsOf(maybe(world.snapshot.get('Namespace', undefined, namespace))?.metadata.annotations)).some((key) =>
    key.startsWith('openshift.io/sa.scc.'),
  );

interface Counts {
  hard?: unknown;
  used?: unknown;
}

interface Counted {
  spec?: Counts & { quota?: Counts };
  status?: Counts & { total?: Counts };
}

/** `status.hard` is what admission counts against; `spec.hard` stands in until the quota controller has written it. */
function usesOf(quota: KubeObject): QuotaUse[] {
  const { spec, status } = quota as Counted;
  const total = quota.kind === SPANNING;
  const now = total ? status?.total : status;
  const counted = textsOf(now?.hard);
  const hard = Object.keys(counted).length > 0 ? counted : textsOf((total ? spec?.quota : spec)?.hard);
  const used = textsOf(now?.used);
  return Object.keys(hard)
    .sort()
    .map((resource) => {
      const limit = quantityOf(hard[resource]) ?? 0;
      const taken = quantityOf(used[resource]) ?? 0;
      const words = `${resource} ${formatQuantity(resource, taken)} used of ${formatQuantity(resource, limit)}`;
      return {
        resource,
        used: taken,
        hard: limit,
        free: Math.max(0, limit - taken),
        full: taken >= limit,
        evidence: evidenceAt(quota, pointerTo('status', ...(total ? ['total'] : []), 'used', resource), words),
      };
    });
}

export const family: Family = {
  name: 'quotas',
  doc: 'What a ResourceQuota allows and what counts against it now.',
  types: {
    QuotaUse: {
      resource: { type: 'string', doc: 'as the quota names it: `requests.cpu`, `pods`, `count/jobs.batch`' },
      used: { type: 'double', doc: 'base units' },
      hard: { type: 'double', doc: 'base units' },
      free: { type: 'double', doc: 'hard less used, not below 0' },
      full: { type: 'bool', doc: 'nothing is left' },
      evidence: { type: 'Evidence', doc: 'its number in the status' },
    },
    Quota: {
      at: { type: 'list<string>', doc: 'always `goal`: a full quota does its work' },
      uses: { type: 'list<QuotaUse>', doc: 'every limit, by name' },
      full: { type: 'list<QuotaUse>', doc: 'those with nothing left' },
      evidence: { type: 'Evidence', doc: 'the status' },
    },
  },
  variables: [{ name: 'quota', kinds: ['ResourceQuota'], type: 'Quota', doc: 'limits and their use', of: (world, object) => quotaFacts(world, object) }],
};
