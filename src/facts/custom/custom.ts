import type { Condition, KubeObject, Service } from '../../model/kinds.ts';
import type { Stage } from '../../model/layer.ts';
import { attempt, maybe, Unknown } from '../../model/read.ts';
import { groupOf, kindKey, resourceOfKind } from '../../model/resources.ts';
import type { Text } from '../../model/text.ts';
import { type Addressed, type AddressedCondition, conditionOf, evidenceAt } from '../address.ts';
import { clockStands } from '../clock.ts';
import {
  BAD_PHASE,
  BAD_WORD,
  CANCELLED,
  ELSEWHERE,
  FAILED_PART,
  FAILS,
  HELD_PHASE,
  PAUSED,
  PLATITUDE,
  polarityOf,
  ROUTING,
  STATE_FIELD,
  SUMMARY,
  SUMMED,
  UNDECIDED,
  UNDER_WAY,
  UNREACHED,
} from './conditions.ts';
import { objectBehind } from './behind.ts';
import { complaintOf, complaintsOf, lastingComplaintOf, wordOf } from './events.ts';
import { controllerFor, type FinalizerOwner } from '../deletion/finalizers.ts';
import { type Grave, graveEvidence, gravestOf, type Inner } from './inner-health.ts';
import { type LostHolder, lostHolderOf } from './holder.ts';
import { crdOf } from '../deletion/finalizers-search.ts';
import { servicesAsked } from '../network/endpoints-asked.ts';
import { lazy } from '../lazy.ts';
import { listOf } from '../lists.ts';
import { controllerOf } from '../owners.ts';
import type { Refusal } from '../admission/refusal.ts';
import { refusalIn } from '../admission/refusal-family.ts';
import { ageOf, timeOf } from '../time.ts';
import type { Told } from '../events/told.ts';
import type { World } from '../world.ts';
import { overdueOf } from './overdue.ts';
import { failedTask } from './parts.ts';
import { isAtRest, isHistory } from './rest.ts';
import { rivalOf } from './rivals.ts';
import { isBare, sharedWith, turnedDown, UNKNOWN_FOR, worstOf } from './worst.ts';
import { writersOf } from '../writers/entries.ts';

/** An object of a kind that the product does not know, by the conventions its controller probably keeps. */
export interface Custom extends Addressed {
  at: Stage[];
  young: boolean;
  group: string;
  /** The kind as kubectl takes it: with its group where Kubernetes has a kind of the same name, which a bare name would mean. */
  called: string;
  ready: AddressedCondition | null;
  stalled: AddressedCondition | null;
  reconciling: AddressedCondition | null;
  /** The condition that says worst of it, where one does. */
  failing: AddressedCondition | null;
  conditions: AddressedCondition[];
  /** The layer that its kind is of, where its words name none. */
  own: 'csi' | 'service' | 'controller';
  /** status.phase, status.state or status.health.status, or a bad word in a field of another name. */
  phase: string;
  /** What the status says of it, verbatim. */
  message: string;
  reason: string;
  since: string;
  /** By table `api-refusals` where the message is an API error, else by table `components`; null where there is no message. */
  text: Text | null;
  refusal: Refusal | null;
  generation: number;
  /** -1 where the status names no generation. */
  observed: number;
  /** When the spec was last written, RFC 3339; '' where nothing tells. */
  written: string;
  /** Seconds since the spec was written, while the status is of an older one; 0 where it is not. */
  lag: number;
  /** Its kind has a status and nothing has ever been written to it, while others of the kind have one, or its owner is not well and waits for it. */
  ignored: boolean;
  /** It waits for a lock whose holder is gone: the message is what its status and the missing holder say together, not its controller's words. */
  forsaken: boolean;
  /** The newest word on it, good or bad, while it has no status; null where it has one or events tell nothing. */
  word: Told | null;
  /** Its kind has a status subresource and it has no status. Raises Unknown where the CustomResourceDefinition was not read. */
  statusless: boolean;
  suspended: boolean;
  /** The workload that acts on the kind, as far as it can be told. */
  controller: FinalizerOwner | null;
  /** The object whose failure its message names as its reason; null where it names none that failed. */
  behind: KubeObject | null;
  /** Services that its message says it could not reach. */
  unreached: Service[];
  /** What its controller complains of beside that, by its newest warning; null where it says no more. */
  beside: Told | null;
  /** That complaint by the same tables. */
  besideText: Text | null;
}

interface Status extends Inner {
  conditions?: Condition[];
  observedGeneration?: number;
  phase?: unknown;
  state?: unknown;
  health?: { status?: unknown; message?: unknown };
  message?: unknown;
  reason?: unknown;
  error?: unknown;
  readyToUse?: unknown;
  errorMessage?: unknown;
  failureMessage?: unknown;
  validationErrors?: unknown;
  phaseReason?: unknown;
  operationState?: { phase?: unknown } & Parameters<typeof failedTask>[0];
  sync?: { status?: unknown };
  /** Istio's analysis of its own kinds. */
  validationMessages?: { level?: string; type?: { code?: string; name?: string } }[];
}

const YOUNG = 120;

/** Whether it is of a kind that no other fact describes. */
export const isCustom = ({ apiVersion, kind }: KubeObject): boolean => kind !== 'APIServer' && kindKey(apiVersion, kind).includes('.');

/** The facts of an object of a kind that the product has no facts for; null for a built-in kind. */
export function customFacts(world: World, object: KubeObject): Custom | null {
  if (!isCustom(object)) return null;
  return world.memo(object, 'custom', () => makeCustom(world, object));
}

const words = (value: unknown): string => (typeof value === 'string' ? value : '');
const first = (...values: unknown[]): string => values.map(words).find((value) => value !== '') ?? '';

function makeCustom(world: World, object: KubeObject): Custom {
  const status = (object['status'] ?? {}) as Status;
  const conditions = (): AddressedCondition[] =>
    listOf(status.conditions)
      .map((condition) => conditionOf(object, condition.type ?? ''))
      .filter((each) => each !== null);
  const observed = Math.max(status.observedGeneration ?? -1, ...listOf(status.conditions).map((condition) => condition.observedGeneration ?? -1));
  const generation = object.metadata.generation ?? 0;
  // A status that is not of this generation says nothing, nor does one without a judgement; a controller may complain in events alone.
  const spoken = (): Told | null => {
    if (custom.lag > 0 || custom.ignored) return attempt(() => complaintOf(world, object));
    return isMute(status) || isUnjudged(custom, status) ? attempt(() => lastingComplaintOf(world, object)) : null;
  };
  const gravest = (): Grave | null => gravestOf(status, (words) => world.classify('components', words));
  const forsaken = (): LostHolder | null => attempt(() => lostHolderOf(world, object));
  const custom: Custom = lazy<Custom>({
    at: () =>
      isHistory(world, object, custom)
        ? ['goal']
        : standing(
            custom,
            status,
            [spoken(), forsaken(), gravest()].some((each) => each !== null),
          ),
    young: () => isFresh(world, object, custom) || (custom.at[0] === 'observe' && custom.lag > 0 && custom.lag < YOUNG),
    group: () => groupOf(object.apiVersion),
    called: () => (resourceOfKind(object.kind) ? `${object.kind.toLowerCase()}.${groupOf(object.apiVersion)}` : object.kind),
    ready: () => conditionOf(object, 'Ready') ?? conditionOf(object, 'Available'),
    stalled: () => conditionOf(object, 'Stalled'),
    reconciling: () => conditionOf(object, 'Reconciling'),
    conditions,
    failing: () => worstOf(world, custom.conditions) ?? turnedDown(object) ?? sharedWith(custom.conditions, status) ?? overdueOf(world, object),
    phase: () =>
      first(
        failedSync(status),
        BAD_PHASE.test(words(status.health)) ? status.health : '',
        status.phase,
        status.state,
        status.health?.status,
        words(stateField(status).value),
      ),
    own: () => (custom.group === 'snapshot.storage.k8s.io' ? 'csi' : ROUTING.has(custom.group) ? 'service' : 'controller'),
    message: () =>
      forsaken()?.says ||
      spoken()?.message ||
      analysisOf(status)?.text ||
      (custom.failing === null && gravest()?.text) ||
      messageOf(status, custom.failing) ||
      wordsBeside(custom) ||
      partsIn(status),
    reason: () =>
      spoken()?.reason ||
      (custom.failing === null && gravest()?.key) ||
      custom.failing?.reason ||
      (custom.failing && isBare(custom.failing) ? custom.failing.type : '') ||
      (sentence(status.reason) ? '' : first(status.reason)) ||
      custom.phase ||
      (custom.failing ? `${custom.failing.type}${isBare(custom.failing) ? '' : `=${custom.failing.status}`}` : ''),
    since: () => spoken()?.first ?? custom.failing?.since ?? '',
    text: () => textOf(world, custom.group, custom.message),
    // However deep a controller's own words quote it.
    refusal: () => refusalIn(world, object, custom.text?.family === 'api-refusals' ? custom.text.inner : custom.message),
    generation: () => generation,
    observed: () => observed,
    written: () => writtenAt(object),
    lag: () => (observed >= 0 && observed < generation ? lagOf(world, object) : 0),
    ignored: () => isIgnored(world, object),
    forsaken: () => forsaken() !== null,
    word: () => (custom.ignored ? attempt(() => wordOf(world, object)) : null),
    statusless: () => hasNoStatus(object) && definesStatus(world, object),
    suspended: () => isAtRest(object, custom),
    controller: () => controllerFor(world, object),
    behind: () => objectBehind(world, object, custom, (each) => customFacts(world, each)?.at.includes('condition') === true),
    beside: () => attempt(() => complaintsOf(world, object).find((each) => saysMore(each, custom)) ?? null),
    besideText: () => (custom.beside ? textOf(world, custom.group, custom.beside.message) : null),
    unreached: () => (UNREACHED.test(custom.message) ? servicesAsked(world, object.metadata.namespace ?? '', custom.message) : []),
    evidence: () =>
      forsaken()?.evidence ?? spoken()?.evidence ?? custom.failing?.evidence ?? graveEvidence(object, gravest()) ?? phaseEvidence(object, status, custom),
  });
  return custom;
}

const GOES_ON = 20;

/** Neither is said by the other, or it goes on where the status stops: External Secrets writes only the outermost words into its condition. */
function saysMore({ message }: Told, { message: said }: Custom): boolean {
  if (message === '' || said.includes(message.trim())) return false;
  const at = said.trim() === '' ? -1 : message.indexOf(said.trim());
  return at < 0 || message.length - at - said.trim().length > GOES_ON;
}

/** The condition's words, unless they say no more than its type and the status has better ones. */
function messageOf(status: Status, failing: AddressedCondition | null): string {
  const own = failing?.message ?? '';
  // Cluster API: set only where nothing will be tried again.
  const last = BAD_PHASE.test(words(status.phase)) ? first(status.errorMessage, status.failureMessage) : '';
  if (last !== '' && !SUMMARY.has(failing?.type ?? '')) return last;
  const listed = ELSEWHERE.test(own)
    ? listOf((failing?.evidence.value as { errors?: { message?: string }[] } | null)?.errors).map(({ message = '' }) => message)
    : [];
  const task = failedTask(status.operationState, own || words(status.operationState?.message));
  if (listed[0] || task !== '') return listed[0] ?? task;
  if (own !== '' && !PLATITUDE.test(own)) return own.replace(SUMMED, '');
  const list = Array.isArray(status.validationErrors) ? status.validationErrors.map(words).find((each) => each !== '') : '';
  return (
    first(
      status.phaseReason,
      status.message,
      status.errorMessage,
      status.failureMessage,
      errorIn(status),
      status.health?.message,
      status.operationState?.message,
      sentence(status.reason),
      list,
    ) || own
  );
}

/** A sentence, or as VolumeSnapshots have it an object with a message and a time. */
const errorIn = ({ error }: Status): string => words(error) || words((error as { message?: unknown } | null | undefined)?.message);

/** A VolumeSnapshot has neither conditions nor a phase: it is ready to use, or says why not. */
const isUnusable = (status: Status): boolean => status.readyToUse === false && errorIn(status) !== '';

/** A failed phase without a word, beside a condition of a type that nobody knows here: Flagger's Promoted=False says what came of it. */
const wordsBeside = ({ failing, phase, conditions }: Custom): string =>
  failing === null && BAD_PHASE.test(phase) ? (conditions.find(({ status, message }) => status === 'False' && message !== '')?.message ?? '') : '';

/** What says itself that it will not go on, or what no retry mends, needs no patience. */
const isFresh = (world: World, object: KubeObject, custom: Custom): boolean =>
  (ageOf(world.now, custom.since || object.metadata.creationTimestamp) ?? Infinity) < (UNDER_WAY.test(custom.failing?.reason ?? '') ? UNKNOWN_FOR : YOUNG) &&
  !clockStands(world) &&
  custom.stalled?.status !== 'True' &&
  rivalOf(world, object) === null &&
  custom.text?.permanence !== 'permanent';

/** cert-manager's Challenge keeps its whole story in status.reason; elsewhere that is one word. */
const sentence = (value: unknown): string => (words(value).includes(' ') ? words(value) : '');

/** Argo CD: the last sync failed and what it was to bring is not there. Health tells only of what is. */
const failedSync = ({ operationState, sync }: Status): string =>
  sync?.status !== 'Synced' && BAD_PHASE.test(words(operationState?.phase)) ? words(operationState?.phase) : '';

/** A bad word in a status field that is none of those that all know; none where a condition says that all is well. */
function stateField(status: Status): { key: string; value: string } {
  const well = listOf(status.conditions).some(({ type = '', status: is }) => SUMMARY.has(type) && is === 'True');
  const [key = '', value = ''] = well ? [] : (Object.entries(status).find(([name, each]) => STATE_FIELD.test(name) && BAD_WORD.test(words(each))) ?? []);
  return { key, value: words(value) };
}

/** Parts that are told in a list beside it: `site.example.com: FailedNotVisible` (GKE's domainStatus). */
const partsIn = (status: Status): string =>
  (stateField(status).key === '' ? [] : Object.values(status).flatMap((list) => (Array.isArray(list) ? (list as Record<string, unknown>[]) : [])))
    .filter((part) => FAILED_PART.test(words(part?.['status'])))
    .map((part) => `${Object.values(part).find((value) => typeof value === 'string' && value !== part['status']) ?? ''}: ${words(part['status'])}`)
    .slice(0, 3)
    .join(', ');

/** `IST0101 ReferencedResourceNotFound`: the code stands for the words (istio.io/analysis). */
function analysisOf({ validationMessages }: Status): { text: string; index: number } | null {
  const index = listOf(validationMessages).findIndex(({ level }) => level === 'ERROR');
  const type = listOf(validationMessages)[index]?.type;
  return index < 0 ? null : { text: `Istio's analysis finds ${[type?.code, type?.name].filter(Boolean).join(' ')}`, index };
}

function phaseEvidence(object: KubeObject, status: Status, custom: Custom): Custom['evidence'] {
  const analysis = analysisOf(status);
  if (analysis) return evidenceAt(object, `/status/validationMessages/${analysis.index}`, analysis.text);
  const key = failedSync(status)
    ? 'operationState/phase'
    : words(status.phase)
      ? 'phase'
      : words(status.state)
        ? 'state'
        : words(status.health?.status)
          ? 'health/status'
          : stateField(status).key;
  if (key) return evidenceAt(object, `/status/${key}`, `status.${key.replace('/', '.')}: ${custom.phase}${custom.message ? `, ${custom.message}` : ''}`);
  if (isUnusable(status)) return evidenceAt(object, '/status/error', `not ready to use: ${errorIn(status)}`);
  return custom.observed >= 0
    ? evidenceAt(object, '/status/observedGeneration', `observedGeneration ${custom.observed} of ${custom.generation}`)
    : evidenceAt(object, '/status', 'no status');
}

function standing(custom: Custom, status: Status, spoken: boolean): Stage[] {
  if (custom.suspended || (custom.failing && CANCELLED.test(custom.failing.reason))) return ['goal'];
  if (spoken) return ['condition'];
  if (custom.lag > 0) return ['observe'];
  if (
    custom.failing ||
    (PAUSED.test(custom.phase) && UNDECIDED.test(custom.message)) ||
    isUnusable(status) ||
    analysisOf(status) ||
    stateField(status).key !== '' ||
    BAD_PHASE.test(custom.phase) ||
    (HELD_PHASE.test(custom.phase) && FAILS.test(custom.message))
  )
    return ['condition'];
  return custom.ignored ? ['observe'] : ['goal'];
}

function textOf(world: World, group: string, message: string): Text | null {
  if (message === '') return null;
  const tables = ['api-refusals', ...(group === 'snapshot.storage.k8s.io' ? ['provisioning'] : []), 'components'];
  const read = tables.map((family) => world.classify(family, message));
  return read.find((text) => text.class !== 'unknown') ?? read.at(-1) ?? null;
}

/** Seconds since the newest write outside of the status, else since creation. */
function lagOf(world: World, object: KubeObject): number {
  const newest = timeOf(writtenAt(object)) ?? timeOf(object.metadata.creationTimestamp) ?? world.now;
  return Math.max(1, (world.now - newest) / 1000);
}

const writtenAt = (object: KubeObject): string =>
  writersOf(object)
    .filter(({ subresource, time }) => subresource !== 'status' && timeOf(time) !== null)
    .map(({ time }) => time ?? '')
    .sort()
    .at(-1) ?? '';

/** There is a status, and not a word in it of whether all is well: AWS's TargetGroupBinding. */
const JUDGING = ['conditions', 'phase', 'state', 'health', 'message', 'reason', 'error', 'readyToUse', 'operationState', 'sync'];
const isMute = (status: Status): boolean => Object.keys(status).length > 0 && JUDGING.every((field) => !(field in status));

/** Nothing in its conditions is good or bad news, and no field sums up: a Kubeflow job that was created, and whose pods nobody can make, or a run that is not over. */
const isUnjudged = ({ conditions, failing }: Custom, status: Status): boolean =>
  failing === null &&
  conditions.every(({ type, status: is }) => is === 'Unknown' || ['', 'moving'].includes(polarityOf(type))) &&
  JUDGING.every((field) => field === 'conditions' || !(field in status));

const hasNoStatus = (object: KubeObject): boolean => {
  const status = object['status'];
  return status === undefined || status === null || (typeof status === 'object' && Object.keys(status).length === 0);
};

interface Version {
  name?: string;
  subresources?: { status?: unknown };
}

function definesStatus(world: World, object: KubeObject): boolean {
  const crd = crdOf(world, groupOf(object.apiVersion), object.kind);
  const gap = crd ? null : world.snapshot.gap('CustomResourceDefinition');
  if (gap) throw new Unknown(gap);
  if (!crd) return false;
  const versions = listOf((crd['spec'] as { versions?: Version[] } | undefined)?.versions);
  return versions.some((version) => version.name === object.apiVersion.split('/').at(-1) && version.subresources?.status !== undefined);
}

/** Many kinds define a status that nobody fills; only where siblings have one is an empty one a sign. */
function isIgnored(world: World, object: KubeObject): boolean {
  if (!hasNoStatus(object) || object.metadata.deletionTimestamp || (ageOf(world.now, object.metadata.creationTimestamp) ?? 0) < YOUNG) return false;
  const siblings = world.snapshot.seen(kindKey(object.apiVersion, object.kind));
  return (siblings.some((other) => !hasNoStatus(other)) || isAwaited(world, object)) && attempt(() => definesStatus(world, object)) === true;
}

/** cert-manager's Certificate is not ready for want of its CertificateRequest: an owner that is not well waits for what it has made. */
function isAwaited(world: World, object: KubeObject): boolean {
  const owner = maybe(controllerOf(world, object));
  return owner !== null && isCustom(owner) && customFacts(world, owner)?.failing != null;
}
