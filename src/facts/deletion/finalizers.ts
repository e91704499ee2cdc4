import type { KubeObject } from '../../model/kinds.ts';
import { attempt, type Gap, need } from '../../model/read.ts';
import { type Addressed, evidenceAt, pointerTo } from '../address.ts';
import { driverOf } from '../volumes/claims-driver.ts';
import { componentFacts } from '../control-plane/components.ts';
import { eventEvidence, eventsOf } from '../events/events.ts';
import { knownFinalizer, type KnownFinalizer } from './finalizers-known.ts';
import { type Held, heldBy, isSearchable, podsOf, type Suspect, suspectsFor, workloadsNamed } from './finalizers-search.ts';
import { listOf } from '../lists.ts';
import { timeOf } from '../time.ts';
import { attachmentsOf } from '../volumes/volumes-attachment.ts';
import { ago, plural } from '../words.ts';
import type { World } from '../world.ts';
import { writersOf } from '../writers/entries.ts';

export const ALIVE = ['alive', 'failing', 'stopped', 'forbidden', 'gone', 'unknown'] as const;
export type Alive = (typeof ALIVE)[number];

/** Who has to remove a finalizer, and whether they can. */
export interface FinalizerOwner extends Addressed {
  finalizer: string;
  /** In words: `the garbage collector`, `Deployment/db-system/db-operator`. */
  manager: string;
  object: KubeObject | null;
  /** stopped: scaled to zero · failing: no pod of it is ready, or its Lease is stale · forbidden: the API refuses it · gone: nothing in the cluster is it. */
  alive: Alive;
  /** What is true of it, to follow its name: `wants 0 replicas`, `runs (its name)`. */
  why: string;
  /** Known by name or by structure (managedFields, RBAC, webhooks); false where only names speak for it. */
  sure: boolean;
  next: string;
}

type Verdict = Pick<FinalizerOwner, 'alive' | 'why' | 'next' | 'evidence'>;

/** The owner of one finalizer of an object. */
export function ownerOfFinalizer(world: World, object: KubeObject, finalizer: string): FinalizerOwner {
  return world.memo(object, `finalizer:${finalizer}`, () => findOwner(world, object, finalizer, heldBy(world, object)));
}

/** The same for a kind that only a message names: nobody has read its objects. */
export function findOwner(world: World, object: KubeObject, finalizer: string, held: Held): FinalizerOwner {
  const known = knownFinalizer(finalizer);
  if (known) return knownOwner(world, object, finalizer, known);
  const [suspect] = suspectsFor(world, finalizer, held);
  if (suspect) return suspectOwner(world, object, finalizer, suspect);
  const base = {
    finalizer,
    manager: `the controller of ${finalizer.split('/')[0]}`,
    object: null,
    sure: false,
    evidence: finalizerEvidence(object, finalizer),
  };
  const next = 'kubectl get deployments,statefulsets,daemonsets -A';
  const voice = voiceOf(world, object, finalizer);
  if (voice) return { ...base, ...voice, alive: 'alive', sure: true };
  const gap = gapOfSearch(world);
  if (gap) return { ...base, alive: 'unknown', next, why: `is not known: not all ${gap.kind}s were read` };
  const unroled = isSearchable(finalizer, held) ? null : world.snapshot.gap('ClusterRole');
  if (unroled) return { ...base, alive: 'unknown', next, why: 'is not known: its name tells nobody, and roles were not read' };
  const recent = recentWriter(world, held);
  if (recent) return { ...base, alive: 'unknown', next, why: `still writes as ${recent}, from outside of what was read` };
  return { ...base, alive: 'gone', next, why: 'no Deployment, StatefulSet or DaemonSet of the cluster seems to be' };
}

function finalizerEvidence(object: KubeObject, finalizer: string): FinalizerOwner['evidence'] {
  const index = listOf(object.metadata.finalizers).indexOf(finalizer);
  return evidenceAt(object, index < 0 ? '' : `/metadata/finalizers/${index}`, `finalizer ${finalizer}`);
}

function gapOfSearch(world: World): Gap | null {
  return world.snapshot.gap('Deployment') ?? world.snapshot.gap('StatefulSet') ?? world.snapshot.gap('DaemonSet');
}

const RECENT = 15 * 60_000;

/** They write the status of Kubernetes' own kinds, whoever holds the finalizer (k3s and rke2 are all of them in one process). */
const COMPONENT = /^(kubectl|kubelet|kube-|k3s|rke2)/;

/** A controller that writes the status now lives somewhere, even where no workload is it. */
function recentWriter(world: World, held: Held): string {
  const writer = held.writers.find(
    ({ manager, subresource, time }) => subresource === 'status' && !COMPONENT.test(manager) && world.now - (timeOf(time) ?? 0) < RECENT,
  );
  return writer ? `"${writer.manager}"` : '';
}

/** Whoever tells of the object under the finalizer's own name is its owner, wherever it runs (Karpenter of a managed cluster runs outside of it). */
function voiceOf(world: World, object: KubeObject, finalizer: string): Pick<FinalizerOwner, 'manager' | 'why' | 'next' | 'evidence'> | null {
  const [record] =
    attempt(() => eventsOf(world, object))?.filter(
      ({ source, last }) => source !== '' && !COMPONENT.test(source) && wordsIn(finalizer).includes(source.toLowerCase()) && world.now - last < RECENT,
    ) ?? [];
  if (!record) return null;
  return {
    manager: record.source,
    why: `said ${ago(world.now, new Date(record.last).toISOString())}: ${record.message}`,
    evidence: eventEvidence(world, record),
    next: `kubectl ${object.metadata.namespace ? `-n ${object.metadata.namespace} ` : ''}describe ${object.kind} ${object.metadata.name}`,
  };
}

const wordsIn = (finalizer: string): string[] => finalizer.toLowerCase().split(/[^a-z0-9-]+/);

function knownOwner(world: World, object: KubeObject, finalizer: string, known: KnownFinalizer): FinalizerOwner {
  const base = { finalizer, manager: known.manager, object: null, sure: true };
  const fallback = {
    evidence: finalizerEvidence(object, finalizer),
    next: `kubectl ${object.metadata.namespace ? `-n ${object.metadata.namespace} ` : ''}describe ${object.kind} ${object.metadata.name}`,
  };
  if (known.by === 'server') return { ...base, ...fallback, alive: 'alive', why: `waits for ${known.waits}` };
  if (known.by === 'component') return { ...base, ...componentVerdict(world, known, fallback, counted(world, object, finalizer)) };
  if (known.by === 'driver') return { ...base, ...driverVerdict(world, object, known, fallback) };
  const workloads = workloadsNamed(world, known.names);
  const [first] = workloads;
  if (first) return { ...base, object: first, ...workloadVerdict(world, object, first, `waits for ${known.waits}`) };
  const gap = gapOfSearch(world);
  if (gap) return { ...base, ...fallback, alive: 'unknown', why: `waits for ${known.waits} (whether it runs is not known: not all ${gap.kind}s were read)` };
  return { ...base, ...fallback, alive: 'gone', why: `was not found; it would wait for ${known.waits}` };
}

/** The workload that acts on a kind of API, by the same search; null where none was found, which proves nothing. */
export function controllerFor(world: World, object: KubeObject): FinalizerOwner | null {
  return world.memo(object, 'controller', () => {
    const held = heldBy(world, object);
    const [suspect] = suspectsFor(world, held.group, held);
    return suspect ? suspectOwner(world, object, '', suspect) : null;
  });
}

type Fallback = Pick<Verdict, 'evidence' | 'next'>;

/** A pod whose Job is gone is nothing to count; the Job controller takes its finalizer off as that of an orphan (syncOrphanPod). '' where the Job is there. */
function counted(world: World, object: KubeObject, finalizer: string): string {
  if (finalizer !== 'batch.kubernetes.io/job-tracking') return '';
  const job = listOf(object.metadata.ownerReferences).find((owner) => owner.kind === 'Job');
  if (!job) return 'has not taken it off, though no Job owns the pod';
  const gone = attempt(() => need(world.snapshot.get('Job', object.metadata.namespace ?? '', job.name ?? '')) === null);
  return gone === true ? `has not taken it off, though Job ${job.name} is gone` : '';
}

function componentVerdict(world: World, known: KnownFinalizer, fallback: Fallback, otherwise: string): Verdict {
  const name = known.names[0] ?? '';
  const component = componentFacts(world, name);
  const stale = attempt(() => (component.known ? component.stale : null));
  const next = 'kubectl -n kube-system get lease';
  if (stale === true)
    return {
      alive: 'failing',
      why: `is part of ${name}, whose Lease was last renewed ${ago(world.now, component.renewed)}`,
      next,
      evidence: component.evidence,
    };
  return { ...fallback, alive: stale === false ? 'alive' : 'unknown', why: otherwise || `waits for ${known.waits}` };
}

/** The attacher drops its finalizer when no attachment of the volume is left, and only from volumes of CSI (external-attacher, csi_handler). */
function detached(world: World, object: KubeObject, known: KnownFinalizer): string {
  if (object.kind !== 'PersistentVolume' || !known.match.test('external-attacher/')) return '';
  const left = attempt(() => attachmentsOf(world, object.metadata.name).length);
  if (left !== 0) return '';
  const csi = (object['spec'] as { csi?: unknown } | undefined)?.csi !== undefined;
  return csi ? 'has not taken it off, though nothing attaches the volume any more' : 'takes it off CSI volumes only, and this is none';
}

function driverVerdict(world: World, object: KubeObject, known: KnownFinalizer, fallback: Fallback): Verdict {
  const spec = object['spec'] as { csi?: { driver?: string }; attacher?: string } | undefined;
  const annotations = (object.metadata.annotations ?? {}) as Record<string, string | undefined>;
  const name =
    spec?.csi?.driver ?? spec?.attacher ?? annotations['pv.kubernetes.io/provisioned-by'] ?? annotations['volume.kubernetes.io/storage-provisioner'] ?? '';
  const driver = driverOf(world, name);
  const waits = detached(world, object, known) || `waits for ${known.waits}`;
  if (driver.installed === false) return { ...fallback, alive: 'gone', why: `is not installed: ${driver.why} (${name})` };
  if (driver.runs === null) return { ...fallback, alive: 'unknown', why: waits };
  return { ...fallback, alive: driver.runs ? 'alive' : 'failing', why: driver.runs ? waits : `does not run: ${driver.why} (${name})` };
}

function suspectOwner(world: World, object: KubeObject, finalizer: string, suspect: Suspect): FinalizerOwner {
  const { namespace, name } = suspect.object.metadata;
  const because = suspect.because[0] ?? '';
  return {
    finalizer,
    object: suspect.object,
    manager: `${suspect.object.kind}/${namespace ? `${namespace}/` : ''}${name}`,
    sure: suspect.score >= 4 && !because.startsWith('its name'),
    ...workloadVerdict(world, object, suspect.object, because),
  };
}

interface WorkloadShape {
  spec?: { replicas?: number };
  status?: { readyReplicas?: number; replicas?: number; numberReady?: number; desiredNumberScheduled?: number };
}

/** Whether a workload does its work: replicas wanted, pods ready, and the API does not refuse what it writes. */
function workloadVerdict(world: World, about: KubeObject, workload: KubeObject, because: string): Verdict {
  const { spec, status } = workload as unknown as WorkloadShape;
  const { namespace, name } = workload.metadata;
  const called = `${workload.kind} ${namespace}/${name}`;
  const set = workload.kind === 'DaemonSet';
  const wanted = set ? (status?.desiredNumberScheduled ?? 0) : (spec?.replicas ?? 1);
  const ready = (set ? status?.numberReady : status?.readyReplicas) ?? 0;
  const at = (pointer: string, words: string): Verdict['evidence'] => evidenceAt(workload, pointer, `${called}: ${words}`);
  if (wanted === 0) {
    return {
      alive: 'stopped',
      why: `wants 0 replicas${scaledBy(world, workload)}`,
      evidence: at(set ? '/status' : '/spec/replicas', 'replicas 0'),
      next: set
        ? `kubectl -n ${namespace} describe ${workload.kind} ${name}`
        : `kubectl -n ${namespace} scale ${workload.kind.toLowerCase()}/${name} --replicas=1`,
    };
  }
  const logs = `kubectl -n ${namespace} logs ${workload.kind.toLowerCase()}/${name} --tail=50`;
  const denied = refusalOfAccount(world, about, workload);
  if (denied) return { alive: 'forbidden', why: `is not permitted to ${denied.what}`, evidence: denied.evidence, next: logs };
  if (ready === 0)
    return {
      alive: 'failing',
      why: `has 0 of ${plural(wanted, 'pod')} ready`,
      evidence: at('/status', `0 of ${wanted} ready`),
      next: `kubectl -n ${namespace} describe ${workload.kind.toLowerCase()} ${name}`,
    };
  return { alive: 'alive', why: `runs (${because})`, evidence: at('/status', `${ready} of ${wanted} ready`), next: logs };
}

/** Who wrote `spec.replicas` last, and when. */
function scaledBy(world: World, workload: KubeObject): string {
  const writers = writersOf(workload).filter((writer) => writer.paths.some((path) => path === 'spec.replicas'));
  const last = writers.sort((a, b) => (timeOf(b.time) ?? 0) - (timeOf(a.time) ?? 0))[0];
  return last ? `, set by "${last.manager}" ${ago(world.now, last.time)}` : '';
}

interface Quoted {
  message: string;
  evidence: FinalizerOwner['evidence'];
}

/** An RBAC refusal of this workload's ServiceAccount, quoted on the object itself, on the workload's pods, or in their last words. */
function refusalOfAccount(world: World, about: KubeObject, workload: KubeObject): { what: string; evidence: Quoted['evidence'] } | null {
  const account = (workload['spec'] as { template?: { spec?: { serviceAccountName?: string } } } | undefined)?.template?.spec?.serviceAccountName ?? 'default';
  const user = `system:serviceaccount:${workload.metadata.namespace}:${account}`;
  const pods = attempt(() => podsOf(world, workload)) ?? [];
  const quotes = [...conditionQuotes(about), ...eventQuotes(world, about), ...pods.flatMap((pod) => [...eventQuotes(world, pod), ...lastWords(pod)])];
  for (const { message, evidence } of quotes) {
    if (!message.includes(user)) continue;
    const text = world.classify('api-refusals', message);
    if (text.class.startsWith('rbac') && text.captures['user'] === user) return { what: `${text.captures['verb']} ${text.captures['resource']}`, evidence };
  }
  return null;
}

const eventQuotes = (world: World, object: KubeObject): Quoted[] =>
  eventsOf(world, object).map((record) => ({ message: record.message, evidence: eventEvidence(world, record) }));

const conditionQuotes = (object: KubeObject): Quoted[] =>
  listOf((object['status'] as { conditions?: { type?: string; message?: string; lastTransitionTime?: string }[] } | undefined)?.conditions).map(
    ({ type, message = '', lastTransitionTime }, index) => ({
      message,
      evidence: evidenceAt(object, pointerTo('status', 'conditions', index), `condition ${type ?? ''}: ${message}`, lastTransitionTime ?? null),
    }),
  );

function lastWords(pod: KubeObject): Quoted[] {
  const statuses = listOf((pod['status'] as { containerStatuses?: { name?: string; state?: Ended; lastState?: Ended }[] } | undefined)?.containerStatuses);
  return statuses.flatMap((status, index) =>
    (['state', 'lastState'] as const).map((field) => {
      const message = status[field]?.terminated?.message ?? '';
      return {
        message,
        evidence: evidenceAt(
          pod,
          pointerTo('status', 'containerStatuses', index, field, 'terminated', 'message'),
          `last words of ${status.name ?? ''}: ${message}`,
        ),
      };
    }),
  );
}

interface Ended {
  terminated?: { message?: string };
}
