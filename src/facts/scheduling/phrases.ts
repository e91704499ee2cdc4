import { attempt, maybe, need } from '../../model/read.ts';
import type { Pod } from '../../model/kinds.ts';
import { usersOf } from '../volumes/claims.ts';
import { listOf } from '../lists.ts';
import { demandsOf, unmetDemands } from './demands.ts';
import type { Predicate } from './message.ts';
import { affinityText } from './neighbours.ts';
import { taintsInTheWay } from './nodes.ts';
import { claimVolumesOf, placeOf } from '../volumes/pod-claims.ts';
import type { SchedFacts } from './scheduling.ts';
import { join } from '../words.ts';
import type { World } from '../world.ts';

/**
 * Fewer domains than minDomains asks for: the least count is then taken as zero, so no domain may hold more than maxSkew pods
 * (KEP-3022). '' where there are enough of them, or where nodes were not read.
 */
function domainsMissing(world: World, pod: Pod): string {
  const nodes = attempt(() => need(world.snapshot.list('Node'))) ?? [];
  const short = listOf(pod.spec?.topologySpreadConstraints).flatMap(({ topologyKey = '', minDomains = 1 }) => {
    const there = new Set(nodes.flatMap((node) => (node.metadata.labels as Record<string, string> | undefined)?.[topologyKey] ?? [])).size;
    return nodes.length > 0 && there < minDomains ? [`${topologyKey}: minDomains asks for ${minDomains}, there are ${there}`] : [];
  });
  return short[0] ?? '';
}

/** One count of the scheduler's answer in words, `2 lack cpu`: with what the pod asks for, where it tells. */
export function phraseOf(
  world: World,
  pod: Pod,
  facts: Pick<SchedFacts, 'ports' | 'claims' | 'total'>,
  { kind, n, reason, captures, says, class: row }: Predicate,
): string {
  const one = n === 1;
  // What is said of the pod as a whole has its row's words; a scheduler of another make, its own without Go's `node(s)`.
  const other = (total: number): string => {
    if (n !== 0 && (n !== total || /^node\(s\)/.test(reason))) return `${n} ${reason.replace(/^node\(s\) /, '')}`;
    return row === 'unknown' ? reason : says;
  };
  switch (kind) {
    case 'resources':
      return `${n} ${one ? 'lacks' : 'lack'} ${reason.replace(/^Insufficient /, '')}`;
    case 'pods':
      return `${n} ${one ? 'holds as many pods as it' : 'hold as many pods as they'} may`;
    case 'cordon':
      return `${n} cordoned`;
    case 'taint': {
      const taint = taintIn(reason) || captures['taint'] || attempt(() => join(taintsInTheWay(world, pod), ' or '));
      return `${n} ${one ? 'has' : 'have'} taint ${taint || 'that the pod does not tolerate'}`;
    }
    case 'affinity': {
      if (row === 'affinity-conflict') return "the pod's own affinity terms contradict each other";
      const demands = row === 'node-affinity' ? (attempt(() => unmetDemands(world, pod)) ?? demandsOf(world, pod)).map((demand) => demand.text) : [];
      return demands.length > 0
        ? `${n} without ${join(demands, ' and ')}`
        : `${n} ${one ? 'does' : 'do'} not match the ${row === 'node-affinity-enforced' ? "scheduler's own" : "pod's"} node affinity`;
    }
    case 'ports':
      return `${n} without free port ${join(facts.ports, ', ') || 'for the pod'}`;
    case 'claim': {
      const names = facts.claims.map((claim) => `claim ${claim.name} is ${claim.state}`);
      return names.length > 0 ? join(names, ' and ') : reason;
    }
    case 'anti-affinity':
      return row === 'existing-anti-affinity'
        ? `${n} ${one ? 'holds' : 'hold'} a pod that forbids it beside itself`
        : `${n} ${one ? 'holds' : 'hold'} a pod it must not be beside${inBrackets(affinityText(pod, 'podAntiAffinity'))}`;
    case 'pod-affinity':
      return `${n} without the pod it must be beside${inBrackets(affinityText(pod, 'podAffinity'))}`;
    case 'spread': {
      const hard = listOf(pod.spec?.topologySpreadConstraints).filter((each) => each.whenUnsatisfiable !== 'ScheduleAnyway');
      const by = join([...new Set(hard.flatMap((each) => each.topologyKey ?? []))], ', ');
      if (row === 'spread-label') return `${n} without label ${by || 'that its topology spread counts by'}`;
      const missing = domainsMissing(world, pod);
      return missing ? `${n} may take no more of its spread over ${missing}` : `${n} would make its spread${by ? ` over ${by}` : ''} too uneven`;
    }
    case 'volume-node':
      return `${n} cannot reach its volume${inBrackets(placesOf(world, pod))}`;
    case 'volume-count':
      return `${n} ${one ? 'has as many volumes attached as its' : 'have as many volumes attached as their'} storage driver allows`;
    case 'name':
      return `${n} ${one ? 'is' : 'are'} not the node that the pod names`;
    case 'device':
      return row === 'devices-taken' ? `${counted(n, facts.total)}no free devices for its resource claims` : other(facts.total);
    case 'narrowed':
      return `${n} ${one ? 'was' : 'were'} left out before (plugin ${captures['plugins'] ?? 'unnamed'} allows a few nodes only)`;
    case 'volume':
      if (row === 'no-volume') return `${n} without a free volume that fits the claim`;
      if (row === 'storage-room') return `${n} with too little free storage for the claim`;
      if (row === 'driver-absent') return `${n} without storage driver ${captures['driver'] ?? ''}`.trimEnd();
      if (row === 'volume-held') return `${counted(n, facts.total)}${heldClaim(world, pod)} (ReadWriteOncePod)`;
      if (row === 'disk-held') return `${n} where another pod holds the disk`;
      return other(facts.total);
    default:
      return other(facts.total);
  }
}

const counted = (n: number, total: number): string => (n === 0 || n === total ? '' : `${n}: `);
const inBrackets = (text: string): string => (text === '' ? '' : ` (${text})`);
const taintIn = (reason: string): string => /taint \{([^}]*)\}/.exec(reason)?.[1]?.replace(/: ?$/, '').replace(/: /, '=') ?? '';

/** Which of its claims another pod on a node uses, on its way out or not: it holds the claim to its end. No names where none was read. */
function heldClaim(world: World, pod: Pod): string {
  for (const { claim } of claimVolumesOf(pod)) {
    const users = attempt(() => usersOf(world, pod.metadata.namespace ?? '', claim)) ?? [];
    const holder = users.find(({ metadata, spec }) => metadata.name !== pod.metadata.name && spec?.nodeName);
    if (holder) return `claim ${claim} is held by ${holder.metadata.name}`;
  }
  return 'the claim is held by another pod';
}

/** A volume of one machine, which has left. */
function isAway(world: World, place: string): boolean {
  const host = /^kubernetes\.io\/hostname=([\w.-]+)$/.exec(place)?.[1];
  const nodes = host ? attempt(() => need(world.snapshot.list('Node'))) : null;
  return (
    nodes != null &&
    nodes.length > 0 &&
    !nodes.some(({ metadata }) => metadata.name === host || (metadata.labels as Record<string, string> | undefined)?.['kubernetes.io/hostname'] === host)
  );
}

/** Where the volumes of its claims live; '' where nothing of it was read. */
function placesOf(world: World, pod: Pod): string {
  const places = claimVolumesOf(pod).flatMap(({ claim: name }) => {
    const claim = maybe(world.snapshot.get('PersistentVolumeClaim', pod.metadata.namespace, name));
    const volume = claim?.spec?.volumeName ? maybe(world.snapshot.get('PersistentVolume', undefined, claim.spec.volumeName)) : null;
    const place = volume ? placeOf(volume) : '';
    return place ? [`claim ${name}: ${place}${isAway(world, place) ? ', which is not in the cluster' : ''}`] : [];
  });
  return join(places, '; ');
}
