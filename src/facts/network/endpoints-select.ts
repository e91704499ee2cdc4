import type { KubeObject, Pod, PodSpec } from '../../model/kinds.ts';
import { need, Unknown } from '../../model/read.ts';
import { groupBy, textsOf } from '../lists.ts';
import { matchesLabels } from '../selectors.ts';
import type { World } from '../world.ts';
import { controllerRef } from '../owners.ts';

export type Labels = Record<string, string>;

/** Pods of a namespace that carry all these labels, finished ones too. Raises Unknown where the pods were not read. */
export function podsWith(world: World, namespace: string, selector: Labels): Pod[] {
  const pods = need(world.snapshot.list('Pod', namespace)) ?? [];
  if (pods.length === 0) return [];
  const having = (key: string): readonly Pod[] =>
    world.memo(pods[0] as Pod, `index:label:${key}`, () => groupBy(pods, (pod) => pod.metadata.labels?.[key] ?? '')).get(selector[key] ?? '') ?? [];
  const rarest = Object.keys(selector)
    .map(having)
    .reduce<readonly Pod[]>((least, list) => (list.length < least.length ? list : least), pods);
  return rarest.filter((pod) => matchesLabels(selector, pod.metadata.labels));
}

/** Something that makes pods: their labels, their spec, and how many it wants. */
export interface Maker {
  object: KubeObject;
  labels: Labels;
  spec: PodSpec;
  /** Pods wanted all the time; 0 for what is scaled down, suspended, or comes and goes. */
  desired: number;
}

const MAKERS = ['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'ReplicationController', 'Job', 'CronJob'] as const;

interface Template {
  metadata?: { labels?: unknown };
  spec?: PodSpec;
}
interface MakerShape {
  spec?: { replicas?: number; template?: Template; jobTemplate?: { spec?: { template?: Template } } } | undefined;
  status?: { desiredNumberScheduled?: number } | undefined;
}

/** What makes pods in a namespace, of what was read; a ReplicaSet only where no Deployment stands above it. */
export function makersIn(world: World, namespace: string): Maker[] {
  const index = world.memo(world.snapshot, 'index:makers', () => new Map<string, Maker[]>());
  let makers = index.get(namespace);
  if (!makers) {
    makers = MAKERS.flatMap((kind) => world.snapshot.seen(kind, namespace).flatMap((object) => makerOf(object)));
    index.set(namespace, makers);
  }
  return makers;
}

function makerOf(object: KubeObject): Maker[] {
  const { spec, status } = object as unknown as MakerShape;
  const controller = controllerRef(object);
  if ((object.kind === 'ReplicaSet' && controller?.kind === 'Deployment') || (object.kind === 'Job' && controller?.kind === 'CronJob')) return [];
  const template = spec?.template ?? spec?.jobTemplate?.spec?.template;
  if (!template) return [];
  return [{ object, labels: textsOf(template.metadata?.labels), spec: template.spec ?? {}, desired: desiredOf(object.kind, { spec, status }) }];
}

function desiredOf(kind: string, { spec, status }: MakerShape): number {
  if (kind === 'CronJob' || kind === 'Job') return 0;
  if (kind === 'DaemonSet') return status?.desiredNumberScheduled ?? 0;
  return spec?.replicas ?? 1;
}

/** The makers whose pods the selector would match. Raises Unknown where none did and a main kind was not read. */
export function makersWith(world: World, namespace: string, selector: Labels): Maker[] {
  const found = makersIn(world, namespace).filter((maker) => matchesLabels(selector, maker.labels));
  if (found.length === 0) {
    for (const kind of ['Deployment', 'StatefulSet'] as const) {
      const gap = world.snapshot.gap(kind, namespace);
      if (gap) throw new Unknown(gap);
    }
  }
  return found;
}
