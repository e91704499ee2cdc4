import type { EndpointSlice, KubeObject, Pod, PodSpec, Service } from '../../model/kinds.ts';
import type { Stage } from '../../model/layer.ts';
import { attempt, maybe, Unknown } from '../../model/read.ts';
import type { Text } from '../../model/text.ts';
import { type Addressed, type AddressedCondition, conditionOf, evidenceAt } from '../address.ts';
import { frontsOf } from './endpoints-fronts.ts';
import { type HandMade, handMadeOf } from './endpoints-hand.ts';
import { type Near, nearMisses } from './endpoints-near.ts';
import { aliasLost, giverOf, keptFailing } from './endpoints-outside.ts';
import { crossedPortsOf, type HalfPort, halfPortsOf, type LostPort, lostPortsOf, undeclaredPortsOf } from './endpoints-ports.ts';
import { ingressOver } from './policies.ts';
import { isAtRest } from '../custom/rest.ts';
import { type Labels, makersWith, podsWith } from './endpoints-select.ts';
import { addressesOf, mirroredOf } from './endpoints-slices.ts';
import { told, type Told } from '../events/events.ts';
import { lazy } from '../lazy.ts';
import { controllerOf } from '../owners.ts';
import { kindKey } from '../../model/resources.ts';
import { groupBy, listOf, textsOf } from '../lists.ts';
import { podFacts } from '../pods/pod.ts';
import { ageOf } from '../time.ts';
import type { World } from '../world.ts';
import { isFinished, isReady, readySince } from '../pods/phase.ts';

export interface Svc extends Addressed {
  at: Stage[];
  young: boolean;
  type: string;
  headless: boolean;
  /** ExternalName: a DNS alias; it has no pods and needs none. */
  external: boolean;
  externalName: string;
  /** `app=web,tier=front`; '' for none. */
  selector: string;
  /** Pods the selector matches that could serve; finished ones are left out. */
  selected: Pod[];
  /** Workloads whose pods the selector would match. */
  workloads: KubeObject[];
  /** Nothing is meant to serve now: its workloads are scaled to zero, or only run from time to time. */
  idle: boolean;
  ready: number;
  notReady: number;
  endpoints: number;
  /** Pods that have been Ready for a while and are in no EndpointSlice: the controller does not keep up. */
  unlisted: Pod[];
  /** Names of ready back ends that point at pods which do not exist. Raises Unknown where pods were not read. */
  /** spec.ipFamilies. */
  families: readonly string[];
  /** Ready pods without an address of these families. */
  misfits: Pod[];
  ghosts: string[];
  /** Slices that were mirrored while it had no selector, and that still name what it does not select. */
  mirrored: EndpointSlice[];
  near: Near[];
  /** What the API server itself asks through it: aggregated APIs, conversions, webhooks that must answer. */
  fronts: KubeObject[];
  /** The layer that stands still without it: theirs; '' where there is none. */
  behind: '' | 'api' | 'admission';
  lostPorts: LostPort[];
  /** Named ports that some of its ready pods have, and others have under another name. */
  halfPorts: HalfPort[];
  undeclared: LostPort[];
  /** Of those the ones whose name a container gives to another number. */
  crossed: LostPort[];
  publishesNotReady: boolean;
  slices: KubeObject[];
  /** Services of this name in other namespaces. */
  elsewhere: KubeObject[];
  /** externalTrafficPolicy (or internalTrafficPolicy) Local: only nodes with an own back end answer. */
  local: boolean;
  /** Nodes that have a ready back end. */
  nodes: string[];
  /** It resolves names for the whole cluster; that its pods are scaled to zero is then no wish. */
  dns: boolean;
  /** type LoadBalancer without an address yet. */
  pending: boolean;
  loadBalancerClass: string;
  /** What is known of who has to give the address; ''. */
  giver: string;
  /** What the cloud fails at though the load balancer is there; null. */
  unkept: Told | null;
  /** ExternalName: `cart in namespace shop`, a Service of this cluster that is proven absent; ''. */
  aliasLost: string;
  /** The custom resource whose controller made it, and makes its pods; null where a person did, or it was not read. */
  maker: KubeObject | null;
  /** What the cloud's service controller says of it now; null where it says nothing. */
  said: Told | null;
  /** The same by table `services`. */
  /** What whoever hands out addresses writes into its status: Cilium's IPAMRequestSatisfied, or a port that the cloud refuses (KEP-1435). */
  refusal: AddressedCondition | null;
  /** k3s: DaemonSets whose pods stand for the load balancer. */
  standIns: KubeObject[];
  text: Text | null;
  /** Seconds since it was made. */
  since: number;
  /** NetworkPolicies that select its pods while none of those that do has a single ingress rule: a possibility, no proof. */
  isolating: KubeObject[];
  /** Slices that somebody wrote for a Service without a selector, while none of them gives it an address that is ready. */
  handMade: HandMade[];
}

const YOUNG = 60;
const LOAD_BALANCER_YOUNG = 180;
/** The endpoint slice controller batches at most a second; a busy one takes some. */
const LISTED_WITHIN = 30;
const BALANCER_REASONS = [
  'SyncLoadBalancerFailed',
  'CreatingLoadBalancerFailed',
  'UpdateLoadBalancerFailed',
  'UnAvailableLoadBalancer',
  'LoadBalancerUpdateFailed',
  'FailedBuildModel',
  'FailedDeployModel',
  'AllocationFailed',
];

/** The facts of a Service, made once a snapshot; fields raise Unknown where its pods or slices were not read. */
export function svcFacts(world: World, service: Service): Svc {
  return world.memo(service, 'svc', () => makeSvc(world, service));
}

function makeSvc(world: World, service: Service): Svc {
  const { namespace = '', name } = service.metadata;
  const { spec } = service;
  const selector = textsOf(spec?.selector);
  const external = spec?.type === 'ExternalName';
  const selects = !external && Object.keys(selector).length > 0;
  const addresses = () => addressesOf(world, service).list;
  const selected = (): Pod[] => (selects ? podsWith(world, namespace, selector).filter((pod) => !isFinished(pod)) : []);
  const makers = () => (selects ? makersWith(world, namespace, selector) : []);
  const specs = () => {
    const pods = svc.selected.map((pod) => pod.spec ?? {});
    // Pods tell by themselves what they declare; templates have to where there are none.
    return [...pods, ...((pods.length > 0 ? attempt(makers) : makers()) ?? []).map((maker) => maker.spec)];
  };
  const svc: Svc = lazy<Svc>({
    at: () => standing(world, service, svc, selects, selector),
    young: () => isYoung(world, service, svc),
    type: () => spec?.type ?? 'ClusterIP',
    headless: () => spec?.clusterIP === 'None',
    external: () => external,
    externalName: () => spec?.externalName ?? '',
    selector: () => wordsOf(selector),
    selected,
    workloads: () => makers().map((maker) => maker.object),
    idle: () => selects && svc.selected.length === 0 && (isHeld(svc.maker) || isIdle(world, namespace, selector)),
    ready: () => addresses().filter((address) => address.ready).length,
    notReady: () => addresses().filter((address) => !address.ready).length,
    endpoints: () => addresses().length,
    unlisted: () => unlistedPods(world, service, svc.selected),
    families: () => listOf(spec?.ipFamilies),
    misfits: () => svc.selected.filter((pod) => isReady(pod) && isMisfit(pod, svc.families)),
    ghosts: () => ghostsOf(world, service),
    mirrored: () => (selects ? mirroredOf(world, service, () => svc.selected) : []),
    near: () => (selects && svc.selected.length === 0 ? nearMisses(world, service) : []),
    fronts: () => frontsOf(world, service).map(({ object }) => object),
    behind: () => (['api', 'admission'] as const).find((layer) => frontsOf(world, service).some((front) => front.layer === layer)) ?? '',
    lostPorts: () => lostPorts(world, service, selects, specs),
    halfPorts: () => (selects ? halfPorts(world, service, svc) : []),
    undeclared: () => (selects ? undeclaredPortsOf(service, specs()) : []),
    crossed: () => (selects && isNumbered(service) ? crossedPortsOf(service, listedSpecs(world, addresses())) : []),
    publishesNotReady: () => spec?.publishNotReadyAddresses === true,
    slices: () => addressesOf(world, service).slices,
    elsewhere: () => sameName(world, name).filter((other) => other.metadata.namespace !== namespace),
    local: () => spec?.externalTrafficPolicy === 'Local' || spec?.internalTrafficPolicy === 'Local',
    nodes: () =>
      [
        ...new Set(
          addresses()
            .filter((address) => address.ready && address.node)
            .map((address) => address.node),
        ),
      ].sort(),
    dns: () => isDns(service),
    pending: () => spec?.type === 'LoadBalancer' && !service.metadata.deletionTimestamp && listOf(service.status?.loadBalancer?.ingress).length === 0,
    maker: () => makerOf(world, service),
    loadBalancerClass: () => spec?.loadBalancerClass ?? '',
    giver: () => (svc.pending ? giverOf(world, service) : ''),
    unkept: () => (spec?.type === 'LoadBalancer' ? keptFailing(world, svc.pending, () => svc.said) : null),
    aliasLost: () => aliasLost(world, service),
    said: () => (spec?.type === 'LoadBalancer' ? told(world, service, BALANCER_REASONS) : null),
    refusal: () => refusalOf(service),
    text: () => (svc.refusal ? world.classify('services', svc.refusal.message) : svc.said ? world.classify('services', svc.said.message) : null),
    standIns: () => world.snapshot.seen('DaemonSet').filter(({ metadata }) => isStandIn(textsOf(metadata.labels), service)),
    since: () => ageOf(world.now, service.metadata.creationTimestamp) ?? 0,
    handMade: () => (selects || external || svc.ready > 0 ? [] : handMadeOf(world, service, svc.slices)),
    isolating: () => isolatingPolicies(world, namespace, svc.selected),
    evidence: () => evidenceAt(service, selects ? '/spec/selector' : '/spec', selects ? `selector ${wordsOf(selector)}` : `type ${svc.type}`),
  });
  return svc;
}

// k3s-io/cloud-provider, servicelb
const isStandIn = (labels: Record<string, string>, { metadata: { name, namespace } }: Service): boolean =>
  labels['svccontroller.k3s.cattle.io/svcname'] === name && labels['svccontroller.k3s.cattle.io/svcnamespace'] === namespace;

function refusalOf(service: Service): AddressedCondition | null {
  if (service.spec?.type !== 'LoadBalancer') return null;
  const bad = listOf(service.status?.conditions).find(
    ({ type = '', status, message }) => Boolean(message) && (/Satisfied$/.test(type) ? status === 'False' : /Error$/.test(type) && status === 'True'),
  );
  return bad ? conditionOf(service, bad.type ?? '') : null;
}

function makerOf(world: World, service: Service): KubeObject | null {
  const owner = maybe(controllerOf(world, service));
  return owner && kindKey(owner.apiVersion, owner.kind).includes('.') ? owner : null;
}

/** Its controller makes no pods while a person holds it at rest. */
const isHeld = (maker: KubeObject | null): boolean => maker !== null && isAtRest(maker, { phase: '', message: '', failing: null });

const wordsOf = (labels: Labels): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');

/**
 * Ready back ends end the search, so a healthy Service costs one look at its slices. A Service without a selector is
 * somebody else's to fill, short of something only where that was tried, and one whose workload is scaled to zero has nothing to serve: neither is short of anything.
 * Where slices or pods could not be read it stands where the rules will miss them, and say so.
 */
function standing(world: World, service: Service, svc: Svc, selects: boolean, selector: Labels): Stage[] {
  if (svc.external) return [svc.aliasLost === '' ? 'goal' : 'answer'];
  if (!selects) return [svc.pending ? 'answer' : (attempt(() => svc.handMade) ?? []).length > 0 ? 'endpoints' : 'goal'];
  const ready = attempt(() => svc.ready);
  if (ready !== null && ready > 0) {
    if ((attempt(() => svc.ghosts) ?? []).length > 0 && (attempt(() => svc.unlisted) ?? []).length > 0) return ['endpoints'];
    if ((attempt(() => svc.mirrored) ?? []).length > 0) return ['endpoints'];
    const ports = svc.lostPorts.length > 0 || [() => svc.halfPorts, () => svc.crossed].some((odd) => (attempt<readonly unknown[]>(odd) ?? []).length > 0);
    return [svc.pending || svc.unkept || ports ? 'answer' : 'goal'];
  }
  const selected = attempt(() => svc.selected);
  // A dump that nobody asked for slices: ready pods stand for them. A refused read does not.
  if (ready === null && isUncollected(world, service) && selected?.some((pod) => podFacts(world, pod).ready && !isMisfit(pod, svc.families))) {
    return [svc.pending || (attempt(() => svc.lostPorts) ?? []).length > 0 ? 'answer' : 'goal'];
  }
  if (selected === null) return ready === null || svc.notReady > 0 ? ['endpoints'] : ['select', 'endpoints'];
  if (selected.length > 0 || (ready !== null && svc.notReady > 0)) return ['endpoints'];
  // Whether the workload it would select is scaled to zero may be out of sight; one that it just misses is not.
  if (isDns(service)) return ['select'];
  const idle = attempt(() => svc.idle || endedWell(world, service, svc, selector)) ?? (attempt(() => svc.near) ?? []).length === 0;
  if (!idle) return ['select'];
  return svc.idle || endedWell(world, service, svc, selector) ? ['goal'] : ['select'];
}

const isUncollected = (world: World, { metadata }: Service): boolean => world.snapshot.gap('EndpointSlice', metadata.namespace)?.reason === 'not-collected';

// The name is fixed whatever serves it (cluster/addons/dns); kubelets hand its address to every pod.
const isDns = ({ metadata }: Service): boolean => metadata.namespace === 'kube-system' && metadata.name === 'kube-dns';

/** Pods that ran and ended as they should (a Job's) leave a Service empty without harm. */
const endedWell = (world: World, service: Service, svc: Svc, selector: Labels): boolean =>
  svc.workloads.length === 0 && podsWith(world, service.metadata.namespace ?? '', selector).some((pod) => pod.status?.phase === 'Succeeded');

function isIdle(world: World, namespace: string, selector: Labels): boolean {
  const makers = makersWith(world, namespace, selector);
  return makers.length > 0 && makers.every((maker) => maker.desired === 0);
}

function isYoung(world: World, service: Service, svc: Svc): boolean {
  const age = (object: KubeObject | Pod | Service): number => ageOf(world.now, object.metadata.creationTimestamp) ?? Infinity;
  if (age(service) < (svc.pending ? LOAD_BALANCER_YOUNG : YOUNG)) return true;
  if (svc.external || (isUncollected(world, service) ? (attempt(() => svc.ready) ?? 0) : svc.ready) > 0) return false;
  const selected = attempt(() => svc.selected) ?? [];
  if (selected.length > 0) return selected.every((pod) => podFacts(world, pod).young || readyFor(world, pod) < LISTED_WITHIN);
  return (attempt(() => svc.workloads) ?? []).some((workload) => age(workload) < YOUNG);
}

/** Seconds since the pod became Ready; Infinity for a pod that does not say when, or is not Ready. */
function readyFor(world: World, pod: Pod): number {
  const since = readySince(pod);
  return since === null ? Infinity : Math.max(0, (world.now - since) / 1000);
}

function unlistedPods(world: World, service: Service, selected: Pod[]): Pod[] {
  const { list } = addressesOf(world, service);
  const listed = new Set(list.flatMap((address) => [address.pod, address.podName, address.ip]).filter(Boolean));
  return selected.filter((pod) => {
    if (!isReady(pod) || pod.metadata.deletionTimestamp || !pod.status?.podIP) return false;
    if (readyFor(world, pod) < LISTED_WITHIN) return false;
    if (isMisfit(pod, listOf(service.spec?.ipFamilies))) return false;
    return ![pod.metadata.uid, pod.metadata.name, pod.status.podIP].some((key) => key && listed.has(key));
  });
}

/** Without an address of the Service's families a pod is in no slice: there is one per family (`endpointslice` reconciler). */
function isMisfit(pod: Pod, families: readonly string[]): boolean {
  const { podIP, podIPs } = pod.status ?? {};
  const has = [podIP, ...listOf(podIPs).map(({ ip }) => ip)].filter(Boolean).map((ip) => (String(ip).includes(':') ? 'IPv6' : 'IPv4'));
  return families.length > 0 && has.length > 0 && !families.some((family) => has.includes(family as 'IPv4' | 'IPv6'));
}

/** Lists are read one after the other, so a ghost alone may have gone in between; beside pods that are long ready and not listed it has not. */
function ghostsOf(world: World, service: Service): string[] {
  const { namespace = '' } = service.metadata;
  const named = addressesOf(world, service).list.filter((address) => address.ready && address.pod !== '');
  const missing = named.filter((address) => world.snapshot.byUid(address.pod) === undefined);
  const gap = missing.length > 0 ? world.snapshot.gap('Pod', namespace) : null;
  if (gap) throw new Unknown(gap);
  return missing.map((address) => address.podName);
}

function lostPorts(world: World, service: Service, selects: boolean, specs: () => Pod['spec'][]): LostPort[] {
  if (!selects) return [];
  // Where nobody asked for slices the pods alone tell what they declare.
  const { list, ports } = (isUncollected(world, service) ? attempt(() => addressesOf(world, service)) : addressesOf(world, service)) ?? {
    list: [],
    ports: new Set<string>(),
  };
  if (list.length > 0 && listOf(service.spec?.ports).every((port) => ports.has(port.name ?? ''))) return [];
  const known = attempt(specs) ?? [];
  return lostPortsOf(
    service,
    list.length > 0 ? ports : null,
    known.map((spec) => spec ?? {}),
  );
}

/** Two names side by side are what a rollout that renames a port looks like for a moment. */
const SETTLED = 120;

/** One look at the slices is enough for a Service whose every back end has every port. */
function halfPorts(world: World, service: Service, svc: Pick<Svc, 'selected'>): HalfPort[] {
  const named = listOf(service.spec?.ports)
    .filter(({ targetPort }) => typeof targetPort === 'string')
    .map(({ name }) => name ?? '');
  if (named.length === 0) return [];
  const slices = addressesOf(world, service).slices as EndpointSlice[];
  const whole = slices.every(
    ({ endpoints, ports }) => listOf(endpoints).length === 0 || named.every((name) => listOf(ports).some((port) => (port.name ?? '') === name && port.port)),
  );
  if (whole) return [];
  const settled = (pod: Pod): boolean => !pod.metadata.deletionTimestamp && isReady(pod) && (ageOf(world.now, conditionOf(pod, 'Ready')?.since) ?? 0) > SETTLED;
  return halfPortsOf(service, svc.selected.filter(settled));
}

const isNumbered = ({ spec }: Service): boolean => listOf(spec?.ports).some(({ name, targetPort }) => Boolean(name) && typeof targetPort === 'number');

/** Of a few pods that the slices name: the others are of their template. */
const listedSpecs = (world: World, addresses: ReturnType<typeof addressesOf>['list']): PodSpec[] =>
  addresses
    .filter(({ ready, pod }) => ready && pod !== '')
    .slice(0, 3)
    .flatMap(({ pod }) => (world.snapshot.byUid(pod) as Pod | undefined)?.spec ?? []);

function sameName(world: World, name: string): KubeObject[] {
  const index = world.memo(world.snapshot, 'index:servicesByName', () => groupBy(world.snapshot.seen('Service'), (service) => service.metadata.name));
  return index.get(name) ?? [];
}

/** One without rules lets nothing in. */
function isolatingPolicies(world: World, namespace: string, pods: readonly Pod[]): KubeObject[] {
  const over = ingressOver(world, namespace, pods);
  return over.some((policy) => listOf(policy.spec?.ingress).length > 0) ? [] : over;
}
