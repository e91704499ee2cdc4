import type { VariableDoc } from '../facts/family.ts';
import { ownerChain } from '../facts/owners.ts';
import { timeOf } from '../facts/time.ts';
import { type World, asObject } from '../facts/world.ts';
import type { Finding } from '../model/finding.ts';
import { identityOf } from '../model/identity.ts';
import type { KubeObject } from '../model/kinds.ts';
import { type Gap, attempt } from '../model/read.ts';
import type { OpenObject, Verdict, WorkloadState } from '../model/report.ts';
import type { Scope } from '../model/snapshot.ts';
import { numberIn, recordOf } from './effects.ts';
import type { Ladder } from './ladder.ts';
import { missing } from './near.ts';
import { layersAt } from './path.ts';
import { inScope, isTarget } from './scope.ts';
import { byText } from '../model/order.ts';

export interface Judgement {
  verdict: Verdict;
  workloads: WorkloadState[];
  open: OpenObject[];
  counts: Record<string, number>;
}

const WORKLOADS = ['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'Job', 'CronJob', 'ReplicationController', 'Pod'];
/** Kinds with goals of their own: where one of them could not be read, nobody knows whether everything is at its goal. */
const ESSENTIAL = [
  'Pod',
  'Deployment',
  'ReplicaSet',
  'StatefulSet',
  'DaemonSet',
  'Job',
  'CronJob',
  'Service',
  'Ingress',
  'PersistentVolumeClaim',
  'HorizontalPodAutoscaler',
  'PodDisruptionBudget',
];
/** What is judged with a target, because it makes it. */
const MAKES: Record<string, readonly string[]> = {
  Deployment: ['ReplicaSet', 'Pod'],
  CronJob: ['Job', 'Pod'],
  ReplicaSet: ['Pod'],
  StatefulSet: ['Pod'],
  DaemonSet: ['Pod'],
  Job: ['Pod'],
};

/**
 * The verdict comes from the ladder: short and young is progressing, short, old and explained is failed,
 * short, old and unexplained is inconclusive. Healthy only if everything in scope is at its goal, and everything that was
 * named is there.
 */
export function judge(
  world: World,
  ladder: Ladder,
  variables: readonly VariableDoc[],
  scope: Scope,
  findings: readonly Finding[],
  explained: ReadonlyMap<string, Finding[]>,
): Judgement {
  const kinds = new Set([...variables.flatMap((variable) => variable.kinds), ...world.snapshot.kinds()]);
  kinds.delete('*');
  const isExplained = namedBy(explained);
  const counts: Record<string, number> = {};
  const workloads: WorkloadState[] = [];
  const open: OpenObject[] = [];
  let matched = 0;
  let worst: Verdict = 'healthy';
  for (const kind of [...kinds].sort()) {
    const isWorkload = WORKLOADS.includes(kind);
    for (const object of world.snapshot.seen(kind)) {
      if (!inScope(world, scope, object)) continue;
      matched += 1;
      counts[kind] = (counts[kind] ?? 0) + 1;
      const causes = isExplained(object) ? (explained.get(identityOf(object)) ?? []) : [];
      const verdict = verdictOf(world, ladder, object, causes);
      if (verdict !== worst) worst = worse(worst, verdict);
      if (verdict === 'progressing' || verdict === 'inconclusive') {
        if (!explained.has(identityOf(object))) open.push(openOf(world, ladder, object, verdict));
      }
      if (isWorkload && ownerChain(world, object).length === 0 && !hasReadController(object)) {
        workloads.push(stateOf(world, ladder, object, verdict, causes));
      }
    }
  }
  if (worst === 'healthy') {
    const unseen = complainedOf(world, scope);
    open.push(...unseen);
    if (unseen.length > 0) worst = 'inconclusive';
  }
  const rootFailed = findings.some((finding) => finding.role === 'root' && finding.certainty !== 'undetermined' && !waits(finding));
  open.sort((a, b) => byText(`${a.namespace}/${a.kind}/${a.name}`, `${b.namespace}/${b.kind}/${b.name}`));
  workloads.sort((a, b) => byText(`${a.namespace}/${a.kind}/${a.name}`, `${b.namespace}/${b.kind}/${b.name}`));
  if (isOutOfReach(world)) return { verdict: 'unreachable', workloads, open, counts };
  if (rootFailed) worst = 'failed';
  else if (findings.some((finding) => finding.role === 'root' && finding.certainty === 'undetermined')) worst = worse(worst, 'inconclusive');
  if (worst !== 'failed' && essentialGaps(world, scope).length > 0) worst = 'inconclusive';
  else if (worst !== 'failed' && (matched === 0 || (worst === 'healthy' && missing(world, scope).length > 0))) worst = 'nothing-matched';
  return { verdict: worst, workloads, open, counts };
}

/** Whether a name is among those explained at all: of thousands of healthy objects nothing more need be asked. */
function namedBy(explained: ReadonlyMap<string, unknown>): (object: KubeObject) => boolean {
  const names = new Set<string>();
  // Whatever in a forged dump has a slash in it is still found.
  for (const key of explained.keys()) for (let at = key.indexOf('/'); at >= 0; at = key.indexOf('/', at + 1)) names.add(key.slice(at + 1));
  return ({ metadata }) => names.has(metadata.name);
}

/** Older warnings are history wherever nothing else speaks. */
const RECENT = 600_000;

/**
 * Pods that recent warnings are about, in a dump without pods: every number of the workloads may be full, or nearly so, and a pod not.
 * Of other kinds the pods themselves tell.
 */
function complainedOf(world: World, scope: Scope): OpenObject[] {
  const found = new Map<string, OpenObject>();
  for (const event of world.snapshot.seen('Event')) {
    const { kind, apiVersion, namespace, name, uid } = event.involvedObject ?? {};
    if (event.type !== 'Warning' || kind !== 'Pod' || !name) continue;
    const last = timeOf(event.series?.lastObservedTime) ?? timeOf(event.lastTimestamp) ?? timeOf(event.eventTime) ?? 0;
    if (world.now - last > RECENT) continue;
    const about = { apiVersion: apiVersion ?? '', kind, metadata: { name, ...(namespace ? { namespace } : {}), ...(uid ? { uid } : {}) } };
    if (world.snapshot.gap(kind, namespace)?.reason !== 'not-collected' || !inScope(world, scope, about)) continue;
    found.set(identityOf(about), { kind, ...(namespace ? { namespace } : {}), name, ...(uid ? { uid } : {}), at: [], verdict: 'inconclusive' });
  }
  return [...found.values()].slice(0, 50);
}

// With one of these nothing that was read is both complete and of now: cached lists look well while storage is down.
const OUT_OF_REACH = ['dns', 'proxy', 'tcp', 'certificate', 'tls', 'http', 'unauthorized', 'etcd'];

const isOutOfReach = (world: World): boolean =>
  world.snapshot.server.reached === false || OUT_OF_REACH.includes(String(attempt(() => recordOf(world, 'server', asObject(world))?.['cause'])));

const ORDER: readonly Verdict[] = ['nothing-matched', 'healthy', 'progressing', 'inconclusive', 'failed', 'unreachable'];
const worse = (a: Verdict, b: Verdict): Verdict => (ORDER.indexOf(a) >= ORDER.indexOf(b) ? a : b);

// A pod whose controller was not read is a workload of its own; a ReplicaSet of a Deployment that was read is not.
const hasReadController = (object: KubeObject): boolean =>
  object.kind !== 'Pod' && (object.metadata.ownerReferences ?? []).some((reference) => reference.controller && WORKLOADS.includes(reference.kind ?? ''));

/** A cause that only waits (a lagging cache, a retry on its way) does not fail anything by itself. */
const waits = (finding: Finding): boolean => finding.permanence === 'waiting';

/** On its way out, with nothing that replaces it: at its goal once it is gone. What a controller replaces is its controller's business. */
const isLeaving = (world: World, object: KubeObject): boolean =>
  object.kind === 'Pod' && object.metadata.deletionTimestamp !== undefined && ownerChain(world, object).length === 0;

function verdictOf(world: World, ladder: Ladder, object: KubeObject, causes: readonly Finding[]): Verdict {
  const { at, young, gap } = ladder.standing(object);
  const firm = causes.filter((cause) => cause.certainty !== 'undetermined' && cause.role !== 'risk');
  // A loop caught at a moment of running makes a workload look full: what explains it counts before its numbers.
  if (firm.some((cause) => !waits(cause) && !(young && cause.permanence === 'transient'))) return 'failed';
  if (at.includes('goal')) return isLeaving(world, object) ? 'progressing' : 'healthy';
  if (young || firm.length > 0) return 'progressing';
  if (at.length === 0 && gap === null) return 'healthy';
  return 'inconclusive';
}

function openOf(world: World, ladder: Ladder, object: KubeObject, verdict: OpenObject['verdict']): OpenObject {
  const { namespace, name, uid } = object.metadata;
  const at = isLeaving(world, object) ? ['terminate'] : [...ladder.standing(object).at];
  return { kind: object.kind, ...(namespace ? { namespace } : {}), name, ...(uid ? { uid } : {}), at, verdict };
}

function stateOf(world: World, ladder: Ladder, object: KubeObject, verdict: Verdict, causes: readonly Finding[]): WorkloadState {
  const work = recordOf(world, 'work', object);
  const { namespace, name, uid, generation } = object.metadata;
  const observed = (object['status'] as { observedGeneration?: number } | undefined)?.observedGeneration;
  const [cause] = causes;
  const at = ladder.standing(object).at[0];
  const says = verdict === 'progressing' || verdict === 'inconclusive' ? attempt(() => work?.['says']) : '';
  const optional = {
    generation,
    observedGeneration: observed,
    desired: numberIn(work, 'desired'),
    ready: numberIn(work, 'ready'),
    updated: numberIn(work, 'updated'),
  };
  return {
    apiVersion: object.apiVersion,
    kind: object.kind,
    ...(namespace ? { namespace } : {}),
    name,
    ...(uid ? { uid } : {}),
    verdict,
    ...(typeof says === 'string' && says !== '' ? { says } : {}),
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => typeof value === 'number' && value >= 0)),
    layers: cause ? layersAt(cause.stage, cause.layer) : at && at !== 'goal' ? layersAt(at, 'controller') : {},
  };
}

/** What the search for a network's agents or a finalizer's owner lists over all namespaces, whatever the scope is. */
const LISTED_BESIDE: ReadonlySet<string> = new Set(['DaemonSet', 'Deployment', 'StatefulSet']);

/**
 * Essential kinds that the server would not give, and the kind of a target that is not among what it gave. What nobody asked for (a dump without that kind) is no gap of the scope;
 * a server or a recording that holds none of them in a namespace (it is of another one) has told nothing of it.
 */
export function essentialGaps(world: World, scope: Scope): Gap[] {
  const namespaces = scope.all || scope.namespaces.length === 0 ? [undefined] : scope.namespaces;
  const asked = new Set(scope.targets.flatMap(({ kind }) => [kind, ...(MAKES[kind] ?? [])]));
  const kinds = ESSENTIAL.filter((kind) => asked.size === 0 || asked.has(kind));
  const gapsIn = (namespace: string | undefined): Gap[] => {
    const gaps = kinds.flatMap((kind) => world.snapshot.gap(kind, namespace) ?? []);
    const read = kinds.filter((kind) => !LISTED_BESIDE.has(kind) && world.snapshot.gap(kind, namespace) === null);
    return gaps.length > 0 && read.length === 0 && world.snapshot.source.kind !== 'files' ? gaps : gaps.filter(isRefused);
  };
  const unseen = scope.targets.filter(
    (target) => !ESSENTIAL.includes(target.kind) && !world.snapshot.seen(target.kind).some((object) => isTarget(scope, object)),
  );
  const own = unseen.flatMap(({ kind }) => namespaces.flatMap((namespace) => world.snapshot.gap(kind, namespace) ?? []));
  return [...namespaces.flatMap(gapsIn), ...own.filter(isRefused)];
}

const isRefused = ({ reason }: Gap): boolean => reason !== 'not-collected';
