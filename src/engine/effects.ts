import type { VariableDoc } from '../facts/family.ts';
import { FAMILIES } from '../facts/index.ts';
import { ownerChain } from '../facts/owners.ts';
import { matchesLabels } from '../facts/selectors.ts';
import type { World } from '../facts/world.ts';
import type { Effect } from '../model/finding.ts';
import { identityOf } from '../model/identity.ts';
import type { KubeObject } from '../model/kinds.ts';
import { attempt } from '../model/read.ts';
import { keyOf as kindOf } from './ladder.ts';
import { byText } from '../model/order.ts';

const variables = new Map<string, VariableDoc>(
  FAMILIES.flatMap((family) => family.variables ?? []).flatMap((variable) => variable.kinds.map((kind) => [`${variable.name} ${kind}`, variable] as const)),
);

/** The record a named fact variable gives for an object; null where it has none or cannot be read. */
export function recordOf(world: World, variable: string, object: KubeObject): Record<string, unknown> | null {
  const found = variables.get(`${variable} ${kindOf(object)}`);
  if (!found) return null;
  return attempt(() => found.of(world, object) as Record<string, unknown> | null);
}

/** A field of a record as a number; null where it is none or cannot be read. */
export function numberIn(record: Record<string, unknown> | null, field: string): number | null {
  if (!record || !(field in record)) return null;
  const value = attempt(() => record[field]);
  return typeof value === 'number' ? value : null;
}

/** What merely follows for the owners of troubled objects and for the Services and autoscalers above them. */
export function effectsOf(world: World, troubled: readonly KubeObject[]): Effect[] {
  // Thousands of siblings have few owners and Services: the names are made of those alone.
  const objects = new Set<KubeObject>();
  for (const object of troubled) {
    objects.add(ownerChain(world, object).at(-1) ?? object);
    for (const service of servicesOf(world, object)) objects.add(service);
  }
  return [...new Map([...objects].map((object) => [identityOf(object), object])).values()]
    .flatMap((object) => {
      const says = short(world, object);
      return says === '' ? [] : [effectOf(object, says)];
    })
    .sort((a, b) => byText(identityOf(a), identityOf(b)));
}

/** An object and what it is short of, as a line under a cause. */
export function effectOf(object: KubeObject, says: string): Effect {
  const { namespace, name, uid } = object.metadata;
  // Where a heading begins with the object it is about, an effect would name it twice.
  const own = [`${object.kind}/${name}: `, `${object.kind}/${name} `].find((front) => says.startsWith(front)) ?? '';
  return {
    kind: object.kind,
    ...(namespace ? { namespace } : {}),
    name,
    ...(uid ? { uid } : {}),
    says: says.slice(own.length),
  };
}

/** A Job that has given up makes no more pods: that it is not complete would read as if it still tried. */
function jobInWords(work: Record<string, unknown>): string {
  const job = attempt(() => work['job']) as { lost: boolean; reason: string } | null | undefined;
  return job?.lost ? `failed${job.reason ? `: ${job.reason}` : ''}` : 'not complete';
}

/** How short an object is, in numbers; '' where it is not short or not known. */
function short(world: World, object: KubeObject): string {
  // Nobody wants what is being deleted to be ready any more.
  if (object.metadata.deletionTimestamp) return '';
  const work = recordOf(world, 'work', object);
  if (work) {
    const desired = numberIn(work, 'desired');
    const ready = numberIn(work, 'ready');
    if (desired === null || ready === null) return '';
    if (object.kind === 'Job') return jobInWords(work);
    // Its own count is from before the change that nobody has seen.
    if ((attempt(() => work['at']) as string[] | null)?.includes('observe'))
      return `${numberIn(work, 'have') ?? 0} of ${desired} pods, generation ${numberIn(work, 'generation') ?? 0} not observed`;
    return ready < desired ? `${ready}/${desired} ready` : '';
  }
  const service = recordOf(world, 'svc', object);
  const ready = numberIn(service, 'ready');
  const notReady = numberIn(service, 'notReady');
  if (ready === null) return '';
  const total = ready + (notReady ?? 0);
  return ready === 0 ? 'no ready endpoints' : ready < total ? `${ready} of ${total} endpoints ready` : '';
}

function servicesOf(world: World, object: KubeObject): readonly KubeObject[] {
  return object.kind === 'Pod' ? world.memo(object, 'engine:services', () => servicesByLabels(world, object)) : [];
}

/** Siblings share their labels, and so the answer. */
function servicesByLabels(world: World, object: KubeObject): readonly KubeObject[] {
  const labels = object.metadata.labels ?? {};
  const key = `${object.metadata.namespace ?? ''} ${JSON.stringify(labels)}`;
  const known = world.memo(world.snapshot, 'engine:servicesByLabels', () => new Map<string, readonly KubeObject[]>());
  let services = known.get(key);
  if (!services) known.set(key, (services = selecting(world, object, labels)));
  return services;
}

function selecting(world: World, object: KubeObject, labels: Record<string, string>): readonly KubeObject[] {
  return world.snapshot.seen('Service', object.metadata.namespace ?? '').filter((service) => {
    const selector = service.spec?.selector;
    return selector !== undefined && selector !== null && matchesLabels(selector, labels) && Object.keys(selector).length > 0;
  });
}
