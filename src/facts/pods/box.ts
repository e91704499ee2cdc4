import type { Container, KubeObject, Pod } from '../../model/kinds.ts';
import { type Ending, ENDINGS, type Stage, STAGES } from '../../model/layer.ts';
import { maybe, Unknown } from '../../model/read.ts';
import type { Text } from '../../model/text.ts';
import type { Evidence, Subject } from '../../model/finding.ts';
import { type Addressed, conditionOf, evidenceAt } from '../address.ts';
import { askedInVain } from './box-waits.ts';
import { type BoxRole, lastRun, restartsAfter, ROLES, type Run, type Slot, stateOf, specPointer } from './containers.ts';
import { endingOf, systemOom } from './endings.ts';
import { eventEvidence } from '../events/event-index.ts';
import { type Exit, exitOf } from './exit.ts';
import type { FieldDoc } from '../family.ts';
import { HOOK_TYPE, type Hook, postStartOf } from './hook.ts';
import { lazy } from '../lazy.ts';
import { listOf } from '../lists.ts';
import type { Rung } from './ladder.ts';
import { loopingSince } from './loop.ts';
import { isYoungRung, sinceBorn } from './patience.ts';
import { containerEvents, emptyText, probeBudget, type ProbeFact, probeFact, probeSpec, type ProbeType, PROBES } from './probe.ts';
import { formatQuantity, quantityOf } from '../quantity.ts';
import { timeOf } from '../time.ts';
import { type Covered, COVERED_TYPE, coveredOf, filledOf } from './covered.ts';
import { combine, type Told } from '../events/told.ts';
import { TWIN_TYPE, type Twin, twinOf } from './twin.ts';
import { plural } from '../words.ts';
import type { World } from '../world.ts';

/** One container of a pod. */
export interface Box extends Addressed {
  name: string;
  role: BoxRole;
  at: Stage;
  young: boolean;
  ended: Ending | '';
  waiting: string;
  text: Text;
  /** Where `text` stands: the event, or the one field of the status that quotes it; null without a text. */
  said: Addressed | null;
  wants: Subject | null;
  /** That object, where it is there by now: the kubelet has not taken notice of it yet. */
  arrived: KubeObject | null;
  /** It was written so long ago that the kubelet must have tried again since. */
  overlooked: boolean;
  /** The volume mounted over the folder where its program was looked for in vain; null where none is. */
  covered: Covered | null;
  /** The same container of the same template, which runs on another node of the same make; null where none was seen. */
  twin: Twin | null;
  /** The memory volume that leaves it no room to start; ''. */
  filled: string;
  exit: Exit | null;
  doubt: ProbeType | 'postStart' | 'sandbox' | '';
  /** The newest thing that was done with it, told by an event, where its own status knows nothing of it. */
  begun: Told | null;
  restarts: number;
  /** What `kubectl logs` needs to show the run that ended: ` --previous` once another has begun or is about to, else ''. */
  logs: string;
  looping: boolean;
  lastRestart: string;
  /** RFC 3339, since when it ends again and again, or has ended; '' where it has not. */
  endsSince: string;
  image: string;
  /** Host of the registry that the image names; docker.io where it names none. */
  registry: string;
  imageID: string;
  ready: boolean;
  started: boolean;
  since: string;
  probe: ProbeFact | null;
  memoryLimit: number;
  limit: Evidence | null;
  systemOom: Told | null;
  /** Services that its command asks for and that do not exist. Raises Unknown where Services could not be read. */
  asksFor: string[];
  postStart: Hook | null;
  spec: Container;
}

// distribution/reference, splitDockerDomain: the first part is a host only by a dot, a port, or as localhost.
const registryOf = (image: string): string => /^(?:localhost|[^/]*[.:][^/]*)(?=\/)/.exec(image)?.[0] ?? 'docker.io';

const BEGUN = ['Pulled', 'Created', 'Started'];

const TABLES: Partial<Record<Ending, string>> = { image: 'image-pulls', refused: 'containers', hook: 'containers' };

// Since 1.31 the back-off quotes the error it backs off from (pkg/kubelet/images/image_manager.go); before, only events did.
const BARE_BACKOFF = /^Back-off pulling image "[^"]*"$/;

/** The sentence that says why the container cannot start: of the current state, of its last end, or of the newest event about it. */
function messageOf(world: World, pod: Pod, rung: Rung, ended: Ending | ''): string {
  const { status } = rung.slot;
  const now = stateOf(status) === 'waiting' && status?.state?.waiting?.reason !== 'CrashLoopBackOff' ? (status?.state?.waiting?.message ?? '') : '';
  const last = rung.run?.record.message ?? '';
  const events = containerEvents(world, pod, rung.slot);
  if (ended === 'image') {
    if (now !== '' && !BARE_BACKOFF.test(now)) return now;
    return (
      events.find((record) => record.reason === 'Failed' && /^Failed to (?:pull|inspect)/.test(record.message))?.message ??
      events.find(
        (record) =>
          ['Failed', 'InspectFailed', 'ErrImageNeverPull', 'InvalidImageName'].includes(record.reason) && !record.message.startsWith('Error: ErrImage'),
      )?.message ??
      now
    );
  }
  if (ended === 'hook') return endingOf(world, pod, rung).hook?.message ?? events.find((record) => record.reason === 'FailedPostStartHook')?.message ?? now;
  const said = now || last || (lastRun(rung.slot)?.record.reason === 'StartError' ? (lastRun(rung.slot)?.record.message ?? '') : '');
  return said || (events.find((record) => record.reason === 'Failed')?.message ?? '');
}

function textOf(world: World, pod: Pod, rung: Rung, box: Box): Text {
  if (box.ended === 'probe') return box.probe?.text ?? emptyText('probes');
  const table = box.ended === '' ? undefined : TABLES[box.ended];
  if (!table) return emptyText('');
  const message = messageOf(world, pod, rung, box.ended);
  return message === '' ? emptyText(table) : world.classify(table, message);
}

/** Where the sentence stands: the field of the status that quotes it, else its event. Raises Unknown where only events could tell and they were not read. */
function saidAt(world: World, pod: Pod, { slot, run }: Rung, message: string): Addressed | null {
  const gap = message === '' || BARE_BACKOFF.test(message) ? world.snapshot.gap('Event', pod.metadata.namespace) : null;
  if (gap) throw new Unknown(gap);
  if (message === '') return null;
  const quoted = (pointer: string, words: string): Addressed => ({
    evidence: evidenceAt(pod, pointer, `container ${slot.name} ${words}: ${message}`),
  });
  const waiting = slot.status?.state?.waiting;
  if (waiting?.message === message) return quoted(`${slot.pointer}/state/waiting/message`, `waiting ${waiting.reason ?? ''}`.trim());
  const ended = run ?? lastRun(slot);
  if (ended?.record.message === message) return quoted(ended.pointer, `ended ${ended.record.reason ?? ''}`.trim());
  const record = containerEvents(world, pod, slot).find((each) => each.message === message);
  return record ? { evidence: eventEvidence(world, record) } : null;
}

/** What the container's environment names and does not get. */
function wantedIn(pod: Pod, { class: row, captures }: Text): Subject | null {
  const kind = /^(configmap|secret)(?:-key)?-missing$/.exec(row)?.[1];
  const name = kind ? captures[kind] : '';
  return name ? { kind: kind === 'secret' ? 'Secret' : 'ConfigMap', apiVersion: 'v1', namespace: pod.metadata.namespace ?? '', name } : null;
}

/** What it wants, where that is there by now, the key included. Null where it is not, or was not read. */
function arrivedIn(world: World, wants: Subject | null, { class: row, captures }: Text): KubeObject | null {
  const found = wants ? maybe(world.snapshot.get(wants.kind, wants.namespace, wants.name)) : null;
  if (!found || !row.includes('-key-')) return found;
  const { data, binaryData } = found as { data?: object; binaryData?: object };
  return captures['key'] && [...Object.keys(data ?? {}), ...Object.keys(binaryData ?? {})].includes(captures['key']) ? found : null;
}

/** The kubelet tries again within minutes (pkg/kubelet, pod workers' back-off), and sees what was written within the minute. */
const SEEN = 300_000;

function isOld(world: World, { metadata }: KubeObject): boolean {
  const times = [metadata.creationTimestamp, ...listOf(metadata.writers).map(({ time }) => time)];
  return world.now - Math.max(...times.map((time) => timeOf(time) ?? 0)) > SEEN;
}

const since = (pod: Pod, type: string): string => {
  const condition = conditionOf(pod, type);
  return condition && condition.status !== 'True' ? condition.since : '';
};

const latest = (...times: string[]): string => times.reduce((best, time) => ((timeOf(time) ?? 0) > (timeOf(best) ?? 0) ? time : best), '');

/** Since when it stands where it stands: since it runs, or since its pod is not ready for the lack of it. */
const sinceOf = (pod: Pod, rung: Rung): string => sinceBorn(pod, toldSince(pod, rung));

function toldSince(pod: Pod, rung: Rung): string {
  const running = rung.slot.status?.state?.running?.startedAt ?? '';
  const unready = since(pod, 'ContainersReady') || since(pod, 'Ready');
  if (running && !rung.looping) return rung.at === 'ready' ? latest(running, unready) : running;
  return unready || rung.run?.record.finishedAt || pod.status?.startTime || pod.metadata.creationTimestamp || '';
}

/** The probe that fails now: the one that ended the last run, or the one a running container does not pass. */
function probeNow(world: World, pod: Pod, rung: Rung, box: Box): ProbeFact | null {
  const { slot } = rung;
  if (box.ended === 'probe') {
    // Of any run: the kubelet's allowance of events is used up early in a loop.
    return probeFact(world, pod, slot, endingOf(world, pod, rung).probe ?? 'liveness', 0);
  }
  if (box.ended !== 'running') return null;
  const type: ProbeType | null = rung.at === 'startup' ? 'startup' : rung.at === 'ready' && slot.spec.readinessProbe ? 'readiness' : null;
  if (!type) return null;
  // A failure counts from the run that fails; before it became unready it takes the whole budget of tries.
  const budget = probeBudget(probeSpec(slot.spec, type)) * 1000;
  const from = Math.max(
    timeOf(slot.status?.state?.running?.startedAt) ?? 0,
    (timeOf(type === 'readiness' ? since(pod, 'ContainersReady') : '') ?? 0) - budget - 5000,
  );
  return probeFact(world, pod, slot, type, from - 1000);
}

/** The facts of one container at its rung, made once a snapshot. */
export function boxOf(world: World, pod: Pod, rung: Rung): Box {
  return world.memo(rung, 'box', () => {
    const { slot } = rung;
    const { status, spec } = slot;
    const run: Run | null = rung.run ?? (rung.at !== 'goal' ? lastRun(slot) : null);
    const restarts = status?.restartCount ?? 0;
    const box: Box = lazy<Box>({
      name: () => slot.name,
      role: () => slot.role,
      at: () => rung.at,
      young: () => isYoungRung(world, pod, rung),
      ended: () => endingOf(world, pod, rung).ended,
      waiting: () => status?.state?.waiting?.reason ?? '',
      text: () => textOf(world, pod, rung, box),
      said: () => (box.ended !== '' && TABLES[box.ended] ? saidAt(world, pod, rung, box.text.message) : null),
      wants: () => wantedIn(pod, box.text),
      arrived: () => arrivedIn(world, box.wants, box.text),
      overlooked: () => box.arrived !== null && isOld(world, box.arrived),
      covered: () => coveredOf(pod, slot, box.text),
      twin: () => twinOf(world, pod, slot),
      filled: () => filledOf(pod, slot, box.text),
      exit: () => (run ? exitOf(pod, run, slot.name) : null),
      doubt: () => endingOf(world, pod, rung).doubt ?? '',
      begun: () => begunOf(world, pod, rung),
      restarts: () => restarts,
      logs: () => (run && (!run.current || (restarts > 0 && restartsAfter(pod, slot, run.record.exitCode ?? 0))) ? ' --previous' : ''),
      looping: () => rung.looping,
      endsSince: () => (run ? loopingSince(pod, slot, run) : ''),
      lastRestart: () => (restarts > 0 ? (status?.state?.running?.startedAt ?? status?.lastState?.terminated?.finishedAt ?? '') : ''),
      image: () => (box.ended === 'image' ? mountedImage(pod, spec.image ?? '', box.text.message) : '') || (spec.image ?? status?.image ?? ''),
      registry: () => registryOf(box.image),
      imageID: () => status?.imageID ?? '',
      ready: () => status?.ready === true,
      started: () => status?.started ?? stateOf(status) === 'running',
      since: () => sinceOf(pod, rung),
      probe: () => probeNow(world, pod, rung, box),
      memoryLimit: () => quantityOf(spec.resources?.limits?.['memory']) ?? 0,
      limit: () => (box.memoryLimit > 0 ? limitAt(pod, slot, box.memoryLimit) : null),
      asksFor: () => askedInVain(world, pod, spec),
      systemOom: () => systemOom(world, pod, rung),
      postStart: () => postStartOf(pod, slot),
      spec: () => spec,
      evidence: () => evidenceAt(pod, slot.pointer, wordsOf(rung), run?.record.finishedAt ?? null),
    });
    return box;
  });
}

/** What the kubelet did last with a container that waits without a word. */
function begunOf(world: World, pod: Pod, { slot, at, run }: Rung): Told | null {
  const { reason = '', message = '' } = slot.status?.state?.waiting ?? {};
  if (at !== 'start' || run || message !== '' || !['ContainerCreating', 'PodInitializing', ''].includes(reason)) return null;
  // Of one container alone: the scheduler's event has fractions of a second, and so looks later than what the kubelet did in the same one.
  const told = containerEvents(world, pod, slot).filter(({ fieldPath }) => fieldPath !== '');
  const last = told.filter((record) => record.last === told[0]?.last);
  const newest = BEGUN.toReversed().flatMap((reason) => last.filter((record) => record.reason === reason))[0];
  return newest && BEGUN.includes(told[0]?.reason ?? '') ? combine(world, pod, newest, [newest]) : null;
}

/** Images of image volumes are pulled on behalf of the container that mounts them, and its state quotes that pull (KEP-4639). */
function mountedImage(pod: Pod, own: string, message: string): string {
  if (own !== '' && message.includes(`"${own}"`)) return '';
  const references = listOf(pod.spec?.volumes).map((volume) => (volume['image'] as { reference?: string } | undefined)?.reference ?? '');
  return references.find((reference) => reference !== '' && message.includes(`"${reference}"`)) ?? '';
}

function limitAt(pod: Pod, slot: Slot, bytes: number): Evidence {
  return evidenceAt(pod, specPointer(pod, slot, 'resources', 'limits', 'memory'), `container ${slot.name}: memory limit ${formatQuantity('memory', bytes)}`);
}

function wordsOf({ slot: { name, status } }: Rung): string {
  if (!status) return `container ${name}: no status yet`;
  const state = stateOf(status);
  const reason = (state === 'waiting' ? status.state?.waiting?.reason : status.state?.terminated?.reason) ?? '';
  const restarts = status.restartCount ? `, ${plural(status.restartCount, 'restart')}` : '';
  return `container ${name} ${state}${reason ? ` ${reason}` : ''}, ${status.ready ? 'ready' : 'not ready'}${restarts}`;
}

export const BOX_TYPES: Record<string, Record<string, FieldDoc>> = {
  Covered: COVERED_TYPE,
  Twin: TWIN_TYPE,
  PostStart: HOOK_TYPE,
  Box: {
    name: { type: 'string', doc: 'name of the container' },
    role: { type: 'string', doc: 'init, sidecar (an init container with restartPolicy Always) or main', oneOf: ROLES },
    at: { type: 'string', doc: 'its rung; a failing init container is at `init` (`image` for its image), whatever waits for it too', oneOf: STAGES },
    young: { type: 'bool', doc: 'short of its goal, but for less time than its rung may take' },
    ended: {
      type: 'string',
      doc: "why it does not run; `running` where it does; '' where it has not been tried, or has done its work",
      oneOf: [...ENDINGS, ''],
    },
    waiting: { type: 'string', doc: "state.waiting.reason or ''" },
    text: {
      type: 'Text',
      doc: "what was said about it: table image-pulls for `image`, containers for `refused` and `hook`, probes for `probe`; class '' otherwise",
    },
    said: { type: 'Said?', doc: 'where that text stands: the field of the status that quotes it, or its event; null without a text' },
    wants: { type: 'Subject?', doc: 'the ConfigMap or Secret that its environment names, absent or without the key' },
    arrived: { type: 'object?', doc: 'that object, where it is there by now, the key included; null where it is not or was not read' },
    overlooked: { type: 'bool', doc: 'that object was last written so long ago that the kubelet must have tried again since' },
    filled: { type: 'string', doc: "the memory volume that leaves it no room to start; ''" },
    covered: { type: 'Covered?', doc: 'the volume mounted over the folder where its program was looked for in vain' },
    twin: { type: 'Twin?', doc: 'the same container of the same template and image, which runs on another node of the same make' },
    exit: { type: 'Exit?', doc: 'the end that says why it does not run, or its last end where it runs and is not at its goal' },
    doubt: {
      type: 'string',
      doc: "the postStart hook, the probe that had the time, or the loss of its sandbox, that may have ended it while no event could tell (used up, expired, not read); '' for none",
      oneOf: [...PROBES, 'postStart', 'sandbox', ''],
    },
    begun: { type: 'Told?', doc: 'the newest event Pulled, Created or Started of a container whose status still says that it is being created; null for none' },
    restarts: { type: 'double', doc: 'restartCount' },
    logs: {
      type: 'string',
      doc: "what `kubectl logs` needs to show the run that ended: ` --previous` once another has begun or is about to, else ''",
    },
    looping: { type: 'bool', doc: 'it is started again and again; also where it runs, even ready, at the moment of reading' },
    lastRestart: { type: 'string', doc: "RFC 3339, '' where it never was" },
    endsSince: { type: 'string', doc: "RFC 3339, since when it ends again and again, as far as its count and its last run tell, else when it last ended; ''" },
    image: { type: 'string', doc: 'image of the spec' },
    registry: { type: 'string', doc: 'host of the registry that the image names; docker.io where it names none' },
    imageID: { type: 'string', doc: "digest it runs, '' before it is created" },
    ready: { type: 'bool', doc: 'containerStatus.ready' },
    started: { type: 'bool', doc: 'past its startup probe' },
    since: { type: 'string', doc: 'RFC 3339, since when it stands there' },
    probe: { type: 'ProbeFact?', doc: 'the probe that fails now: the one that ended it, or the one it does not pass' },
    memoryLimit: { type: 'double', doc: 'bytes, 0 for none' },
    limit: { type: 'Evidence?', doc: 'where the memory limit stands; null for none' },
    asksFor: {
      type: 'list<string>',
      doc: 'Services that its command asks for (nc, nslookup, curl, pg_isready, ...) and that do not exist; raises unknown where Services were not read',
    },
    systemOom: { type: 'Told?', doc: "the node's SystemOOM event at the moment it was killed; null where none was seen" },
    postStart: { type: 'PostStart?', doc: 'its postStart hook; null for none' },
    spec: { type: 'object', doc: 'container of the spec' },
    evidence: { type: 'Evidence', doc: 'its status' },
  },
  Said: { evidence: { type: 'Evidence', doc: 'its address' } },
  Exit: {
    code: { type: 'double', doc: 'exit code' },
    signal: { type: 'double', doc: 'signal number, 0 for none' },
    name: { type: 'string', doc: "`SIGKILL`, '' for none" },
    reason: { type: 'string', doc: "terminated.reason: Error, OOMKilled, Completed, StartError, ContainerStatusUnknown, ... or ''" },
    message: { type: 'string', doc: "termination message or ''" },
    ran: { type: 'double', doc: 'seconds it ran' },
    started: { type: 'string', doc: "RFC 3339 or ''" },
    finished: { type: 'string', doc: "RFC 3339 or ''" },
    meaning: { type: 'string', doc: 'what the code says by itself' },
    says: { type: 'string', doc: "what a heading may add to the number; '' where the number is the program's own" },
    evidence: { type: 'Evidence', doc: 'state.terminated or lastState.terminated' },
  },
  Wall: {
    object: { type: 'object', doc: 'the NetworkPolicy' },
    evidence: { type: 'Evidence', doc: 'its spec, in words' },
  },
  ProbeFact: {
    type: { type: 'string', doc: 'which probe', oneOf: PROBES },
    text: { type: 'Text', doc: "its newest failure by table probes; class '' where no event is left" },
    count: { type: 'double', doc: 'failures seen in events, 0 where none is left' },
    first: { type: 'string', doc: "RFC 3339 or ''" },
    last: { type: 'string', doc: "RFC 3339 or ''" },
    what: { type: 'string', doc: '`GET :8080/healthz`, `tcp :5432`, `exec cat /ready`' },
    period: { type: 'double', doc: 'seconds between tries' },
    failures: { type: 'double', doc: 'failureThreshold' },
    timeout: { type: 'double', doc: 'seconds a try may take' },
    delay: { type: 'double', doc: 'initialDelaySeconds' },
    port: { type: 'string', doc: "port of the pod that it asks; '' where it asks none" },
    walls: {
      type: 'list<Wall>',
      doc: 'where no answer came: NetworkPolicies over the pod, none of which lets its node in to this port; a possibility, no proof',
    },
    shut: { type: 'string', doc: "what may follow from them, in sentences; '' without any" },
    evidence: { type: 'Evidence', doc: 'newest event, or ready/started of the status' },
  },
};
