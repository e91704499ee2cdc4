import type { Container, Pod, Probe } from '../../model/kinds.ts';
import type { Text } from '../../model/text.ts';
import { type Addressed, evidenceAt } from '../address.ts';
import { type Slot, slotsOf } from './containers.ts';
import { type EventRecord, eventEvidence, eventsOf } from '../events/event-index.ts';
import { listOf } from '../lists.ts';
import { earliest } from '../events/told.ts';
import { type Wall, wallsAround } from '../network/policies.ts';
import { some } from '../words.ts';
import type { World } from '../world.ts';
import { isoOf } from '../time.ts';

export const PROBES = ['readiness', 'liveness', 'startup'] as const;
export type ProbeType = (typeof PROBES)[number];

export interface ProbeFact extends Addressed {
  type: ProbeType;
  text: Text;
  /** How often it was seen to fail; 0 where no event of it is left. */
  count: number;
  first: string;
  last: string;
  what: string;
  period: number;
  failures: number;
  timeout: number;
  /** Seconds before the first try. */
  delay: number;
  /** Port of the pod that it asks, as a number; '' where it asks none. */
  port: string;
  /** Where no answer came at all: policies over the pod, none of which lets its node in to this port. */
  walls: Wall[];
  /** What follows from them, as a sentence after another; '' without any. */
  shut: string;
}

/** What a table says of no text at all. */
export const emptyText = (family: string): Text => ({
  class: '',
  family,
  layer: '',
  says: '',
  lacks: '',
  permanence: '',
  captures: {},
  next: '',
  inner: '',
  core: '',
  message: '',
});

/** The probe of that type; null where the container has none. */
export function probeSpec(spec: Container, type: ProbeType): Probe | null {
  return { readiness: spec.readinessProbe, liveness: spec.livenessProbe, startup: spec.startupProbe }[type] ?? null;
}

/** The port of the pod's own address that the probe asks; 0 where it asks none, or another address. */
function portOf(spec: Container, probe: Probe | null): number {
  const asked = probe?.httpGet ?? probe?.tcpSocket ?? probe?.grpc;
  if (!asked || ('host' in asked && asked.host)) return 0;
  const named = asked.port as number | string;
  return typeof named === 'number' ? named : (listOf(spec.ports).find(({ name }) => name === named)?.containerPort ?? 0);
}

// What a probe meets whose packets are dropped or refused on the way (some plugins answer for the pod: kube-router rejects).
const UNANSWERED = ['timeout', 'no-connection', 'grpc-connect', 'unreachable', 'refused'];

const shutBy = (walls: readonly Wall[]): string =>
  walls.length === 0
    ? ''
    : ` No policy over this pod lets its node in to that port (${some(walls.map(({ object }) => object))}). Kubernetes lets a node in whatever policies say;` +
      ' whether the network plugin keeps to that is in no object, so perhaps the probe is kept out. A port-forward goes past policies: an answer there speaks for that.';

/** `GET :8080/healthz`, `tcp :5432`, `grpc :9090`, `exec cat /tmp/ready`; a named port with its number. */
export function probeWords(spec: Container, probe: Probe | null): string {
  const port = (value: unknown): string => {
    const named = listOf(spec.ports).find((each) => each.name === value);
    return named?.containerPort === undefined ? String(value ?? '') : String(named.containerPort);
  };
  if (probe?.httpGet) {
    const { scheme, host, path } = probe.httpGet;
    return `GET ${scheme === 'HTTPS' ? 'https://' : ''}${host ?? ''}:${port(probe.httpGet.port)}${path ?? '/'}`;
  }
  if (probe?.tcpSocket) return `tcp ${probe.tcpSocket.host ?? ''}:${port(probe.tcpSocket.port)}`;
  if (probe?.grpc) return `grpc :${port(probe.grpc.port)}${probe.grpc.service ? ` ${probe.grpc.service}` : ''}`;
  if (probe?.exec) return `exec ${listOf(probe.exec.command).join(' ')}`;
  return '';
}

/** Seconds a container may take until the kubelet acts on the probe; API defaults where the spec is silent. */
export function probeBudget(probe: Probe | null): number {
  if (!probe) return 0;
  return (probe.initialDelaySeconds ?? 0) + (probe.periodSeconds ?? 10) * (probe.failureThreshold ?? 3) + (probe.timeoutSeconds ?? 1);
}

/** Events about one container, newest first; one without a field path counts where the pod has no other container that it could be about. */
export function containerEvents(world: World, pod: Pod, slot: Slot): readonly EventRecord[] {
  const path = `spec.${slot.role === 'main' ? 'containers' : 'initContainers'}{${slot.name}}`;
  const alone = listOf(pod.spec?.containers).length + listOf(pod.spec?.initContainers).length === 1;
  const own = (record: EventRecord): boolean => {
    if (alone || record.fieldPath !== '') return alone && record.fieldPath === '';
    const type = probeOf(record);
    return type !== null && slotsOf(pod).every(({ spec, name }) => (name === slot.name) === (probeSpec(spec, type) !== null));
  };
  return eventsOf(world, pod).filter((record) => record.fieldPath === path || own(record));
}

// pkg/kubelet/prober/prober.go: "Readiness probe failed: ...", "Liveness probe errored and resulted in unknown state: ...".
const FAILED = /^(?:\(combined from similar events\): )?(readiness|liveness|startup) probe (?:failed|errored)/i;

const probeOf = ({ reason, message }: EventRecord): ProbeType | null =>
  reason === 'Unhealthy' ? ((FAILED.exec(message)?.[1]?.toLowerCase() ?? null) as ProbeType | null) : null;

/** Failed tries of one probe, newest first. */
export function probeFailures(world: World, pod: Pod, slot: Slot, type: ProbeType): readonly EventRecord[] {
  return containerEvents(world, pod, slot).filter((record) => probeOf(record) === type);
}

/** One probe that fails, told by what is left of its events since `from` (ms). */
export function probeFact(world: World, pod: Pod, slot: Slot, type: ProbeType, from: number): ProbeFact {
  const spec = probeSpec(slot.spec, type);
  const events = probeFailures(world, pod, slot, type).filter((record) => record.last >= from);
  const newest = events[0];
  const count = events.reduce((sum, record) => sum + record.count, 0);
  const text = newest ? world.classify('probes', newest.message) : emptyText('probes');
  const port = portOf(slot.spec, spec);
  const walls = port > 0 && UNANSWERED.includes(text.class) ? wallsAround(world, pod, port, 'TCP') : [];
  return {
    type,
    text,
    count,
    first: isoOf(earliest(events)),
    last: newest ? isoOf(newest.last) : '',
    what: probeWords(slot.spec, spec),
    period: spec?.periodSeconds ?? 10,
    failures: spec?.failureThreshold ?? 3,
    timeout: spec?.timeoutSeconds ?? 1,
    delay: spec?.initialDelaySeconds ?? 0,
    port: port > 0 ? String(port) : '',
    walls,
    shut: shutBy(walls),
    evidence: newest
      ? eventEvidence(world, newest, count)
      : evidenceAt(
          pod,
          `${slot.pointer}/${type === 'startup' ? 'started' : 'ready'}`,
          `container ${slot.name}: ${type === 'startup' ? 'started' : 'ready'} is false`,
        ),
  };
}
