import type { KubeObject } from '../../model/kinds.ts';
import { maybe } from '../../model/read.ts';
import { kindKey } from '../../model/resources.ts';
import { listOf, textsOf } from '../lists.ts';
import type { World } from '../world.ts';

const WORKLOADS = ['Deployment', 'StatefulSet', 'DaemonSet', 'Job'] as const;

interface Listed {
  group?: string;
  version?: string;
  kind?: string;
  namespace?: string;
  name?: string;
  health?: { status?: string };
}

/** It waited for what it has applied, and that did not get well (Helm and Flux say so by a deadline, Argo CD by the worst health). */
const WAITED = /deadline exceeded|timed? ?out|not (?:yet )?ready|health check|retries ?exceeded|retries exhausted|after \d+ attempt|Degraded/i;

/**
 * The first part of what a deployer has applied that is not well: by the list in its status (Argo CD), else by the marks that Helm and
 * Flux leave on what they make. Null where its words do not speak of waiting, or where no such part was read.
 */
export function partBehind(world: World, object: KubeObject, words: string): KubeObject | null {
  if (!WAITED.test(words)) return null;
  return listedPart(world, object) ?? markedPart(world, object);
}

function listedPart(world: World, object: KubeObject): KubeObject | null {
  const { resources } = (object['status'] ?? {}) as { resources?: Listed[] };
  for (const { group, version, kind, namespace, name, health } of listOf(resources)) {
    if (health?.status !== 'Degraded' || !kind || !name) continue;
    const found = maybe(world.snapshot.get(kindKey(group ? `${group}/${version ?? ''}` : (version ?? 'v1'), kind), namespace, name));
    if (found) return found;
  }
  return null;
}

function markedPart(world: World, object: KubeObject): KubeObject | null {
  const { name, namespace = '' } = object.metadata;
  const tool = { HelmRelease: 'helm.toolkit.fluxcd.io', Kustomization: 'kustomize.toolkit.fluxcd.io' }[object.kind];
  if (!tool) return null;
  return (
    WORKLOADS.flatMap((kind) => world.snapshot.seen(kind)).find((each) => {
      const labels = textsOf(each.metadata.labels);
      return labels[`${tool}/name`] === name && labels[`${tool}/namespace`] === namespace && isShort(each);
    }) ?? null
  );
}

interface Counts {
  readyReplicas?: number;
  numberReady?: number;
  desiredNumberScheduled?: number;
  succeeded?: number;
}

function isShort(object: KubeObject): boolean {
  const status = (object['status'] ?? {}) as Counts;
  const { replicas = 1 } = (object['spec'] ?? {}) as { replicas?: number };
  if (object.kind === 'DaemonSet') return (status.numberReady ?? 0) < (status.desiredNumberScheduled ?? 0);
  if (object.kind === 'Job') return (status.succeeded ?? 0) === 0;
  return (status.readyReplicas ?? 0) < replicas;
}

interface Sync {
  message?: unknown;
  syncResult?: { resources?: { kind?: string; name?: string; status?: string; hookPhase?: string; message?: string }[] | null };
}

/** Without the answer of the API that it may bring along: `one or more objects failed to apply, reason: ...`. */
const SUMS_UP = /one or more (?:synchronization tasks are not valid|objects failed to apply)(?!.{0,40}reason: )/;

/** Argo CD only sums up what it tried; what the API answered stands beside the object that it was about. '' where it says more itself. */
export function failedTask(sync: Sync | undefined, words: string): string {
  if (!SUMS_UP.test(words)) return '';
  const task = listOf(sync?.syncResult?.resources).find(({ status, message }) => status === 'SyncFailed' && Boolean(message));
  return task ? `${task.kind ?? ''}/${task.name ?? ''} ${/not valid/.test(words) ? 'dry-run' : 'apply'} failed: ${task.message ?? ''}` : '';
}
