import type { KubeObject } from '../../model/kinds.ts';
import { maybe } from '../../model/read.ts';
import { kindKey } from '../../model/resources.ts';
import { listOf } from '../lists.ts';
import { controllerRef } from '../owners.ts';
import type { World } from '../world.ts';
import { POINTS_AWAY } from './conditions.ts';
import { partBehind } from './parts.ts';
import { isMeant, referencesIn } from './references.ts';

const MESSAGE = 2000;

/** Whether a custom resource says of itself that it failed. */
type Judge = (object: KubeObject) => boolean;

/** The object whose failure the words of a custom resource name as their reason; null where they name none that failed. */
export const objectBehind = (
  world: World,
  object: KubeObject,
  { message, reason, phase }: { message: string; reason: string; phase: string },
  hasFailed: Judge,
): KubeObject | null =>
  behindOf(world, object, hasFailed, message) ??
  referredOf(world, object, hasFailed, `${reason} ${message}`) ??
  fieldOf(world, object, hasFailed, message) ??
  echoOf(world, object, hasFailed, message) ??
  revisionOf(world, object, hasFailed) ??
  partBehind(world, object, `${reason} ${phase} ${message}`);

/** `dependency 'flux-system/infra' is not ready`, `HelmChart 'shop/redis' is not ready`: another custom resource of these parts that failed. */
function behindOf(world: World, object: KubeObject, hasFailed: Judge, message: string): KubeObject | null {
  const names = new Set([...message.slice(0, MESSAGE).matchAll(/["'`]([a-z0-9][a-z0-9.-]*(?:\/[a-z0-9][a-z0-9.-]*)?)["'`]/g)].map(([, name]) => name ?? ''));
  // Flux waits for `[Deployment/shop/web status: 'InProgress']`.
  for (const [, kind = '', namespace, name = ''] of message.slice(0, MESSAGE).matchAll(/\b([A-Z][A-Za-z]+)\/([a-z0-9][a-z0-9.-]*)\/([a-z0-9][a-z0-9.-]*)/g)) {
    const found = maybe(world.snapshot.get(kind, namespace, name));
    if (found && found !== object) return found;
  }
  // Strimzi waits for `Pods resource my-cluster-kafka-0 in namespace kafka to be ready`.
  for (const [, kind = '', name = '', space] of message
    .slice(0, MESSAGE)
    .matchAll(/\b([A-Z][A-Za-z]+) resource ([a-z0-9][a-z0-9.-]*) in namespace ([a-z0-9][a-z0-9-]*)/g)) {
    const found = maybe(world.snapshot.get(kind.replace(/^Pods$/, 'Pod'), space, name));
    if (found && found !== object) return found;
  }
  // Helm's hooks: `* job web-migrate failed: BackoffLimitExceeded`.
  const hook = /\* job ([a-z0-9][a-z0-9.-]*) failed: /.exec(message)?.[1];
  const job = hook ? maybe(world.snapshot.get('Job', object.metadata.namespace, hook)) : null;
  if (job) return job;
  // OpenShift: `1 of 2 requested instances are unavailable for apiserver.openshift-apiserver ()`, `node "master-2" not ready since`.
  const [, deployed = '', space = ''] = /unavailable for ([a-z0-9-]+)\.([a-z0-9-]+) \(/.exec(message) ?? [];
  const [, node = ''] = /\bnode "?([a-z0-9][a-z0-9.-]*)"? (?:is )?not ready\b/i.exec(message) ?? [];
  const short =
    (deployed ? maybe(world.snapshot.get('Deployment', space, deployed)) : null) ?? (node ? maybe(world.snapshot.get('Node', undefined, node)) : null);
  if (short) return short;
  const failed = failedCustoms(world, hasFailed);
  const { namespace = '' } = object.metadata;
  return (
    failed.find(
      (each) =>
        each !== object &&
        ((each.metadata.namespace === undefined && isNamed(message, each)) ||
          ((each.metadata.namespace ?? '') === namespace && ((names.has(each.metadata.name) && !waitsFor(each, object)) || isNamed(message, each))) ||
          names.has(`${each.metadata.namespace ?? ''}/${each.metadata.name}`)),
    ) ?? null
  );
}

/** A quoted word may be the name of anything: who says himself that he waits for this one, by its kind, is not what it fails for. */
function waitsFor(other: KubeObject, { kind, metadata: { namespace = '', name } }: KubeObject): boolean {
  const { conditions } = (other['status'] ?? {}) as { conditions?: { message?: string }[] };
  return listOf(conditions).some(({ message = '' }) =>
    [`'${namespace}/${name}'`, `"${namespace}/${name}"`, `'${name}'`, `"${name}"`, name].some((each) => message.slice(0, MESSAGE).includes(`${kind} ${each}`)),
  );
}

function failedCustoms(world: World, hasFailed: Judge): KubeObject[] {
  return world.memo(world.snapshot, 'index:failed-customs', () =>
    world.snapshot
      .kinds()
      .filter((kind) => kind.includes('.'))
      .flatMap((kind) => world.snapshot.seen(kind))
      .filter(hasFailed),
  );
}

/** `BackupStorageLocation default is in Unavailable status`: kind and name without quotes. */
function isNamed(message: string, { kind, metadata: { name } }: KubeObject): boolean {
  const at = message.slice(0, MESSAGE).indexOf(`${kind} ${name}`);
  return at >= 0 && !/[\w-]/.test(message.charAt(at + kind.length + 1 + name.length));
}

/** `Source artifact not found`, `Referenced "ClusterIssuer" not ready`: what its spec refers to and has itself failed. */
function referredOf(world: World, object: KubeObject, hasFailed: Judge, words: string): KubeObject | null {
  if (!POINTS_AWAY.test(words)) return null;
  const references = referencesIn(object).filter((each) => isMeant(words, each));
  return references.length === 0
    ? null
    : (failedCustoms(world, hasFailed).find(
        (each) =>
          each !== object &&
          references.some(
            ({ kind, name, namespace }) =>
              kind === each.kind && name === each.metadata.name && (each.metadata.namespace === undefined || each.metadata.namespace === namespace),
          ),
      ) ?? null);
}

/** Crossplane: `mg.Spec.ForProvider.VPCID: referenced field was empty`: the resource of that kind, made for the same owner, that failed. */
const EMPTY = /(\w+?)(?:IDs?|Ids?|Names?|ARNs?|Arns?)?(?:\[\w+\])?: referenced field was empty/;

function fieldOf(world: World, object: KubeObject, hasFailed: Judge, message: string): KubeObject | null {
  const field = EMPTY.exec(message.slice(0, MESSAGE))?.[1]?.toLowerCase();
  const owner = field ? controllerRef(object)?.uid : undefined;
  return owner
    ? (failedCustoms(world, hasFailed).find((each) => each !== object && each.kind.toLowerCase() === field && controllerRef(each)?.uid === owner) ?? null)
    : null;
}

const WORDY = 40;

/** OLM's Subscription repeats what its InstallPlan says: one that its status refers to and that says the very same. */
function echoOf(world: World, object: KubeObject, hasFailed: Judge, message: string): KubeObject | null {
  if (message.length < WORDY) return null;
  const references = referencesIn(object, 'status');
  return references.length === 0
    ? null
    : (failedCustoms(world, hasFailed).find(
        (each) =>
          each !== object &&
          repeats(each, message) &&
          references.some(({ kind, name, namespace }) => kind === each.kind && name === each.metadata.name && namespace === (each.metadata.namespace ?? '')),
      ) ?? null);
}

/** Crossplane: a package is as well as the revision that its status names as the current one. */
function revisionOf(world: World, { apiVersion, kind, status }: KubeObject & { status?: unknown }, hasFailed: Judge): KubeObject | null {
  const name = (status as { currentRevision?: unknown } | undefined)?.currentRevision;
  const found = typeof name === 'string' && name !== '' ? maybe(world.snapshot.get(kindKey(apiVersion, `${kind}Revision`), undefined, name)) : null;
  return found && hasFailed(found) ? found : null;
}

const repeats = ({ status }: KubeObject & { status?: unknown }, message: string): boolean =>
  listOf((status as { conditions?: { message?: string }[] } | undefined)?.conditions).some((condition) => condition.message === message);
