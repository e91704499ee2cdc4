import type { KubeObject, PodSpec, Writer } from '../../model/kinds.ts';
import { groupOf } from '../../model/resources.ts';
import { type Labels, podsWith } from '../network/endpoints-select.ts';
import { listOf, textsOf } from '../lists.ts';
import { accountsOn } from './finalizers-roles.ts';
import type { World } from '../world.ts';
import { writersOf } from '../writers/entries.ts';

/** What a finalizer sits on: a kind of API, and whoever wrote the object. */
export interface Held {
  group: string;
  kind: string;
  /** Plural, lower case: `databases`. */
  resource: string;
  writers: readonly Writer[];
}

/** A workload that may be the controller, and why it is thought so. */
export interface Suspect {
  object: KubeObject;
  score: number;
  /** The strongest reasons first, in words. */
  because: string[];
}

interface Runner {
  object: KubeObject;
  account: string;
  labels: Labels;
  annotations: Labels;
  /** Parts of its names: `db-operator` in `db-system` gives db, operator, system. */
  parts: Set<string>;
  /** Base names of images and commands. */
  programs: Set<string>;
}

const KINDS = ['Deployment', 'StatefulSet', 'DaemonSet'] as const;
const ENOUGH = 3;

// Names under which anybody writes: they say nothing of who it was (kubebuilder's default is `manager`).
const ANYBODY =
  /^(?:kubectl.*|helm|manager|controller|operator|main|unknown|before-first-apply|argocd-.*|Go-http-client|Mozilla|terraform.*|pulumi.*|OpenAPI-Generator|python-.*|node-fetch|curl|rancher|agent)$/i;
const GENERIC = new Set([
  'com',
  'org',
  'net',
  'io',
  'dev',
  'sh',
  'cloud',
  'app',
  'apps',
  'k8s',
  'kubernetes',
  'example',
  'finalizer',
  'finalizers',
  'cleanup',
  'protection',
  'system',
  'operator',
  'controller',
  'manager',
  'core',
  'resources',
  'resource',
  'cluster',
  'service',
  'services',
  'api',
  'apis',
  'default',
  'toolkit',
  'delete',
  'deletion',
]);

/** Workloads of every namespace that were read, best suspect first; nothing weaker than a whole name in common. */
export function suspectsFor(world: World, finalizer: string, held: Held): Suspect[] {
  const crd = crdOf(world, held.group, held.kind);
  const accounts = accountsOn(world, held.group, held.resource);
  const called = calledWorkloads(world, held.group, crd);
  const words = wordsOf(finalizer, held);
  return runnersIn(world)
    .map((runner): Suspect => {
      const reasons: [number, string][] = [];
      const writer = writerOf(held.writers, finalizer, runner);
      if (writer) reasons.push([6, `managedFields name ${writer}`]);
      if (accounts.has(runner.account)) reasons.push([4, `ServiceAccount ${runner.account} may update ${held.resource || held.kind}`]);
      if (called.has(runner.object)) reasons.push([4, `webhooks for ${held.group} call it`]);
      if (crd && sameRelease(crd, runner)) reasons.push([3, 'installed with the CustomResourceDefinition']);
      const shared = [...words].filter((word) => runner.parts.has(word));
      if (shared.length > 0)
        reasons.push([shared.length + (/operator|controller|manager/.test(runner.object.metadata.name) ? 2 : 0), `its name has ${shared.join(' and ')}`]);
      reasons.sort((a, b) => b[0] - a[0]);
      return { object: runner.object, score: reasons.reduce((sum, [points]) => sum + points, 0), because: reasons.map(([, why]) => why) };
    })
    .filter((suspect) => suspect.score >= ENOUGH)
    .sort((a, b) => b.score - a.score || a.object.metadata.name.localeCompare(b.object.metadata.name));
}

/** Workloads that run under a name, or are labelled with it. */
export function workloadsNamed(world: World, names: readonly string[]): KubeObject[] {
  return runnersIn(world)
    .filter(({ object, labels }) =>
      names.some((name) => object.metadata.name.includes(name) || labels['app.kubernetes.io/name'] === name || labels['app'] === name),
    )
    .map(({ object }) => object);
}

function runnersIn(world: World): Runner[] {
  return world.memo(world.snapshot, 'index:runners', () =>
    KINDS.flatMap((kind) =>
      world.snapshot.seen(kind).map((object) => {
        const spec = (object['spec'] as { template?: { spec?: PodSpec } } | undefined)?.template?.spec ?? {};
        const { namespace, name } = object.metadata;
        const programs = listOf(spec.containers)
          .flatMap((container) => [container.image ?? '', ...listOf(container.command)])
          .map(baseOf)
          .filter(Boolean);
        return {
          object,
          account: `${namespace ?? ''}/${spec.serviceAccountName ?? spec.serviceAccount ?? 'default'}`,
          labels: textsOf(object.metadata.labels),
          annotations: textsOf(object.metadata.annotations),
          parts: new Set([name, namespace ?? '', ...programs].flatMap((text) => text.toLowerCase().split(/[^a-z0-9]+/)).filter(Boolean)),
          programs: new Set(programs),
        };
      }),
    ),
  );
}

/** `registry:5000/team/db-operator:v1@sha256:..` and `/usr/bin/db-operator` as db-operator. */
const baseOf = (path: string): string =>
  (path.split('@')[0] ?? '')
    .replace(/:[^/:]*$/, '')
    .split('/')
    .at(-1) ?? '';

/** Whether its names give anything to look for: those of `cluster.cluster.x-k8s.io` are everybody's. */
export const isSearchable = (finalizer: string, held: Held): boolean => wordsOf(finalizer, held).size > 0;

/** The domain and group of a finalizer, word by word, without what every name has. */
function wordsOf(finalizer: string, held: Held): Set<string> {
  const words = [finalizer, held.group, held.kind, held.resource].flatMap((text) => text.toLowerCase().split(/[^a-z0-9]+/));
  return new Set(words.filter((word) => word.length >= 2 && !GENERIC.has(word) && !GENERIC.has(word.replace(/s$/, '')) && !/^v\d/.test(word)));
}

/** Whoever put the finalizer there, else whoever writes the status, if that name is this program's. */
function writerOf(writers: readonly Writer[], finalizer: string, runner: Runner): string {
  const named = writers.filter((writer) => !ANYBODY.test(writer.manager));
  const told = named.filter((writer) => writer.paths.includes(`metadata.finalizers["${finalizer}"]`));
  const finalizing = told.length > 0 ? told : named.filter((writer) => writer.paths.includes('metadata.finalizers'));
  const reporting = named.filter((writer) => writer.subresource === 'status');
  const found = [...finalizing, ...reporting].find(({ manager }) => runner.object.metadata.name === manager || runner.programs.has(baseOf(manager)));
  return found?.manager ?? '';
}

/** The definition of a custom kind; null where it was not read, or there is none. */
export function crdOf(world: World, group: string, kind: string): KubeObject | null {
  const index = world.memo(
    world.snapshot,
    'index:crdByKind',
    () => new Map(world.snapshot.seen('CustomResourceDefinition').map((crd) => [`${crd.spec?.group ?? ''}/${crd.spec?.names?.kind ?? ''}`, crd as KubeObject])),
  );
  return index.get(`${group}/${kind}`) ?? null;
}

function sameRelease(crd: KubeObject, runner: Runner): boolean {
  const labels = textsOf(crd.metadata.labels);
  const annotations = textsOf(crd.metadata.annotations);
  const release = annotations['meta.helm.sh/release-name'];
  if (release)
    return (
      release === runner.annotations['meta.helm.sh/release-name'] &&
      annotations['meta.helm.sh/release-namespace'] === runner.annotations['meta.helm.sh/release-namespace']
    );
  const name = labels['app.kubernetes.io/name'];
  return name !== undefined && name === runner.labels['app.kubernetes.io/name'];
}

interface ServiceRef {
  name?: string;
  namespace?: string;
}
interface HookSpec {
  clientConfig?: { service?: ServiceRef };
  rules?: { apiGroups?: string[] }[];
}

/** Workloads behind the admission webhooks of a group and behind the conversion of its kind. */
function calledWorkloads(world: World, group: string, crd: KubeObject | null): Set<KubeObject> {
  const refs: ServiceRef[] = [];
  for (const kind of ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration']) {
    for (const config of world.snapshot.seen(kind)) {
      for (const hook of listOf(config['webhooks'] as HookSpec[] | undefined)) {
        if (group !== '' && hook.clientConfig?.service && listOf(hook.rules).some((rule) => listOf(rule.apiGroups).includes(group)))
          refs.push(hook.clientConfig.service);
      }
    }
  }
  const conversion = (crd?.['spec'] as { conversion?: { webhook?: { clientConfig?: { service?: ServiceRef } } } } | undefined)?.conversion?.webhook
    ?.clientConfig?.service;
  if (conversion) refs.push(conversion);
  const found = new Set<KubeObject>();
  for (const { name, namespace } of refs) {
    const service = name ? world.snapshot.get('Service', namespace, name) : null;
    if (service?.state !== 'known') continue;
    const selector = Object.entries(textsOf(service.value.spec?.selector));
    if (selector.length === 0) continue;
    for (const { object } of runnersIn(world)) {
      const labels = textsOf((object['spec'] as { template?: { metadata?: { labels?: unknown } } } | undefined)?.template?.metadata?.labels);
      if (object.metadata.namespace === namespace && selector.every(([key, value]) => labels[key] === value)) found.add(object);
    }
  }
  return found;
}

/** What an object of the snapshot is, for the search. */
export function heldBy(world: World, object: KubeObject): Held {
  const group = groupOf(object.apiVersion);
  const names = (crdOf(world, group, object.kind)?.['spec'] as { names?: { plural?: string } } | undefined)?.names;
  return { group, kind: object.kind, resource: names?.plural ?? `${object.kind.toLowerCase()}s`, writers: writersOf(object) };
}

/** Pods of a workload that were read. */
export function podsOf(world: World, workload: KubeObject): readonly KubeObject[] {
  const selector = textsOf((workload['spec'] as { selector?: { matchLabels?: unknown } } | undefined)?.selector?.matchLabels);
  return Object.keys(selector).length > 0 ? podsWith(world, workload.metadata.namespace ?? '', selector) : [];
}
