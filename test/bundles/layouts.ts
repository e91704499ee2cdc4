/** Small bundles as each tool writes them: path to content. */
import { dump } from 'js-yaml';
import type { KubeObject } from '../../src/model/kinds.ts';
import { type Listed, apiVersionOf, listsOf, plainList, typedList } from './world.ts';

export type Files = Record<string, string>;

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
const yaml = (value: unknown): string => `---\n${dump(value, { noRefs: true })}`;
const core = (group: string): string => group || 'core';
const fromEntries = (entries: readonly (readonly [string, string])[]): Files => Object.fromEntries(entries);

/** Resource names of replicatedhq/troubleshoot where they are not the plural. */
const TROUBLESHOOT: Record<string, string> = {
  poddisruptionbudgets: 'pod-disruption-budgets',
  ingresses: 'ingress',
  networkpolicies: 'network-policy',
  resourcequotas: 'resource-quotas',
  persistentvolumeclaims: 'pvcs',
  storageclasses: 'storage-classes',
  customresourcedefinitions: 'custom-resource-definitions',
};

/** New bundles: kinds on list and items, empty lists are null. */
export function troubleshoot(objects: readonly KubeObject[], top = 'support-bundle-2026-03-01T15_04_05/'): Files {
  return fromEntries([
    [`${top}version.yaml`, 'apiVersion: troubleshoot.sh/v1beta2\nkind: SupportBundle\nspec:\n  versionNumber: v0.100.0\n'],
    [`${top}cluster-info/cluster_version.json`, json({ info: { gitVersion: 'v1.31.2' }, string: 'v1.31.2' })],
    [`${top}cluster-resources/groups.json`, json([{ name: 'apps' }])],
    [`${top}cluster-resources/resources.json`, json([{ groupVersion: 'v1', resources: [] }])],
    [`${top}cluster-resources/auth-cani-list/shop.json`, json([{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }])],
    [`${top}cluster-resources/pods/logs/shop/web-5d9-abcde/app.log`, '{"kind":"Pod","apiVersion":"v1"}\n'],
    ...listsOf(objects).map((list): [string, string] => {
      const name = TROUBLESHOOT[list.resource] ?? list.resource;
      return [`${top}cluster-resources/${list.namespace ? `${name}/${list.namespace}` : name}.json`, json(typedList(list, list.items.length > 0 ? list.items : null))];
    }),
  ]);
}

/** Old bundles: bare arrays, no kinds anywhere, addresses hidden. */
export function troubleshootOld(objects: readonly KubeObject[]): Files {
  return fromEntries([
    ['supportbundle/version.yaml', 'apiVersion: troubleshoot.sh/v1beta2\nkind: SupportBundle\n'],
    ['supportbundle/cluster-resources/custom-resources/databases.db.example.com/shop.yaml', dump([{ apiVersion: 'db.example.com/v1', kind: 'Database', metadata: { name: 'main', namespace: 'shop' } }])],
    ['supportbundle/cluster-resources/services-errors.json', json({ shop: 'services is forbidden' })],
    ...listsOf(objects).filter((list) => list.kind !== 'Service').map((list): [string, string] => [
      `supportbundle/cluster-resources/${list.namespace ? `${list.resource}/${list.namespace}` : list.resource}.json`,
      json(list.items.map(({ kind: _, apiVersion: __, ...rest }) => rest)).replaceAll('10.0.0.7', '***HIDDEN***'),
    ]),
  ]);
}

/** Two image folders, each with a part; pods stand in the list and once more alone. */
export function mustGather(objects: readonly KubeObject[]): Files {
  const lists = listsOf(objects);
  const top = 'must-gather.local.123/';
  const images = ['quay-io-openshift-origin-sha256-aa/', 'registry-example-extra-sha256-bb/'];
  const files = lists.flatMap((list, index): [string, string][] => {
    const root = `${top}${images[index % 2 === 0 || !list.namespaced ? 0 : 1] ?? ''}`;
    if (list.namespace)
      return [
        [
          `${root}namespaces/${list.namespace}/${core(list.group)}/${list.resource}.yaml`,
          yaml({ apiVersion: apiVersionOf(list), kind: `${list.kind}List`, metadata: {}, items: list.items }),
        ],
      ];
    return list.items.map((item): [string, string] => [
      `${root}cluster-scoped-resources/${core(list.group)}/${list.resource}/${item.metadata.name}.yaml`,
      yaml(item),
    ]);
  });
  const pods = objects
    .filter((each) => each.kind === 'Pod')
    .map((pod): [string, string] => [
      `${top}${images[0]}namespaces/shop/pods/${pod.metadata.name}/${pod.metadata.name}.yaml`,
      yaml({ ...pod, metadata: { ...pod.metadata, resourceVersion: '90' }, status: { phase: 'Pending' } }),
    ]);
  return fromEntries([
    [`${top}timestamp`, '2026-03-01 11:59:30.123456789 +0000 UTC m=+0.043\n2026-03-01 12:29:30.123456789 +0000 UTC m=+1800.1\n'],
    [`${top}must-gather.logs`, '[must-gather] OUT\n'],
    [`${top}${images[0]}version`, 'openshift/must-gather\n4.19\n'],
    [`${top}${images[0]}namespaces/shop/pods/web-5d9-abcde/app/app/logs/current.log`, '2026-03-01T11:00:00.0Z starting\n'],
    ...files, ...pods,
  ]);
}

export function inspect(objects: readonly KubeObject[]): Files {
  return Object.fromEntries(Object.entries(mustGather(objects)).flatMap(([path, text]) => {
    const inner = /^must-gather\.local\.123\/[^/]+-sha256-\w+\/(.*)$/.exec(path)?.[1];
    return inner && inner !== 'version' ? [[`inspect.local.9/${inner}`, text]] : [];
  }));
}

export function crustGather(objects: readonly KubeObject[]): Files {
  return fromEntries([
    ['version.yaml', 'major: "1"\nminor: "31"\ngitVersion: v1.31.2\n'],
    ['api.json', json({ kind: 'APIGroupDiscoveryList', items: [] })],
    ['apis.json', json({ kind: 'APIGroupDiscoveryList', items: [] })],
    ['collected.timestamp', '"2026-03-01 12:00:05.123456789 UTC"'],
    ['event-filter.html', '<html></html>'],
    ['namespaces/shop/v1/pod/web-5d9-abcde/app/current.log', 'starting\n'],
    ...objects.map((each): [string, string] => {
      const inner = `${each.apiVersion.toLowerCase().replace('/', '-')}/${each.kind.toLowerCase()}/${each.metadata.name.replaceAll(/[:*?|]/g, '-')}.yaml`;
      return [each.metadata.namespace ? `namespaces/${each.metadata.namespace}/${inner}` : `cluster/${inner}`, yaml(each)];
    }),
  ]);
}

/** Events come as events.k8s.io alone; only gather.log tells what failed and what was empty. */
export function kubectlGather(objects: readonly KubeObject[], context = 'prod'): Files {
  const newer = objects.map((each): KubeObject => {
    if (each.kind !== 'Event') return each;
    const { involvedObject, message, count, firstTimestamp, lastTimestamp, source, ...rest } = each;
    return {
      ...rest,
      apiVersion: 'events.k8s.io/v1',
      regarding: involvedObject,
      note: message,
      deprecatedCount: count,
      deprecatedFirstTimestamp: firstTimestamp,
      deprecatedLastTimestamp: lastTimestamp,
      deprecatedSource: source,
      eventTime: null,
    };
  });
  const folder = (each: KubeObject): string => {
    const group = each.apiVersion.includes('/') ? `${each.apiVersion.split('/')[0]}/` : '';
    const list = listsOf([each], [each.metadata.namespace ?? ''])[0] as Listed;
    return `${group}${list.resource}`;
  };
  return fromEntries([
    ['gather.log', [
      `2026-03-01T12:00:01.000Z\tDEBUG\t${context}\tGathered 0 "batch/jobs" in 0.003 seconds`,
      `2026-03-01T12:00:01.000Z\tWARN\t${context}\tCannot list "policy/poddisruptionbudgets": poddisruptionbudgets.policy is forbidden`,
      `2026-03-01T12:00:01.000Z\tDEBUG\t${context}\tGathered 1 "pods" in 0.003 seconds`, ''].join('\n')],
    [`${context}/namespaces/shop/pods/web-5d9-abcde/app/current.log`, 'starting\n'],
    ...newer.map((each): [string, string] => [
      each.metadata.namespace ? `${context}/namespaces/${each.metadata.namespace}/${folder(each)}/${each.metadata.name}.yaml` : `${context}/cluster/${folder(each)}/${each.metadata.name}.yaml`,
      dump(each),
    ]),
  ]);
}

const DUMPED: Record<string, string> = { events: 'events', services: 'services', deployments: 'deployments', replicasets: 'replicasets', pods: 'pods', nodes: 'nodes' };

export function clusterInfo(objects: readonly KubeObject[]): Files {
  const lists = listsOf(objects).filter((list) => DUMPED[list.resource]);
  return fromEntries([
    ['shop/web-5d9-abcde/logs.txt', '==== START logs for container app of pod shop/web-5d9-abcde ====\nstarting\n==== END logs for container app of pod shop/web-5d9-abcde ====\n'],
    ...lists.map((list): [string, string] => [list.namespace ? `${list.namespace}/${list.resource}.json` : `${list.resource}.json`, json(typedList(list))]),
  ]);
}

/** The same on stdout: documents and logs in a row; an application may print objects, too. */
export function clusterInfoText(objects: readonly KubeObject[]): string {
  const lists = listsOf(objects).filter((list) => DUMPED[list.resource]);
  const lie = json({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'never-was', namespace: 'shop' } });
  return `${lists.map((list) => json(typedList(list))).join('')}==== START logs for container app of pod shop/web-5d9-abcde ====\n${lie}{"level":"info"}\n==== END logs for container app of pod shop/web-5d9-abcde ====\n`;
}

/** null and "" come as the word "null". */
export function supportBundleKit(objects: readonly KubeObject[]): Files {
  const spoil = (value: unknown): unknown =>
    value === null || value === ''
      ? 'null'
      : Array.isArray(value)
        ? value.map(spoil)
        : typeof value === 'object'
          ? Object.fromEntries(Object.entries(value as object).map(([key, held]) => [key, spoil(held)]))
          : value;
  return fromEntries([
    ['supportbundle_1/metadata.yaml', 'projectname: x\nkubernetesversion: v1.31.2\n'],
    ['supportbundle_1/nodes/node-1.zip', 'PK'],
    ['supportbundle_1/logs/shop/web-5d9-abcde/app.log', 'starting\n'],
    // Metrics of pods under the pods' own name.
    ['supportbundle_1/yamls/namespaced/shop/metrics.k8s.io/v1beta1/pods.yaml', dump(plainList([{ apiVersion: 'metrics.k8s.io/v1beta1', kind: 'PodMetrics', metadata: { name: 'web-5d9-abcde', namespace: 'shop' }, containers: [] }]))],
    ...listsOf(objects).map((list): [string, string] => [
      `supportbundle_1/yamls/${list.namespace ? `namespaced/${list.namespace}` : 'cluster'}/${list.group ? `${list.group}/` : ''}${list.version}/${list.resource}.yaml`,
      dump(spoil(plainList(list.items.map((item) => ({ ...item, metadata: { ...item.metadata, deletionTimestamp: null } }))))),
    ]),
  ]);
}

export function sonobuoy(objects: readonly KubeObject[]): Files {
  return fromEntries([
    ['serverversion.json', json({ gitVersion: 'v1.31.2' })],
    ['meta/query-time.json', json({ 'resources/ns/shop': '0.1s' })],
    ['podlogs/shop/web-5d9-abcde/logs/app.txt', 'starting\n'],
    ...listsOf(objects).map((list): [string, string] => [
      `resources/${list.namespace ? `ns/${list.namespace}` : 'cluster'}/${core(list.group)}_${list.version}_${list.resource}.json`,
      json({ ...typedList(list, list.items) }),
    ]),
  ]);
}

export function velero(objects: readonly KubeObject[]): Files {
  return fromEntries([
    ['metadata/version', '1.1.0\n'],
    ...objects.filter((each) => each.kind !== 'Event').flatMap((each): [string, string][] => {
      const list = listsOf([each], [each.metadata.namespace ?? ''])[0] as Listed;
      const top = `resources/${list.resource}${list.group ? `.${list.group}` : ''}/`;
      const inner = `${each.metadata.namespace ? `namespaces/${each.metadata.namespace}` : 'cluster'}/${each.metadata.name}.json`;
      return [[`${top}${inner}`, json(each)], [`${top}${list.version}-preferredversion/${inner}`, json(each)]];
    }),
  ]);
}
