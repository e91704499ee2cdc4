import type { KubeObject } from '../../model/kinds.ts';
import { AGE, type Column, NAME, NONE, age, at, column, condition, count, list, selector, text, wide } from './cells.ts';
import { type Fields, isFields } from '../../model/fields.ts';

const ROLE = 'node-role.kubernetes.io/';
const MODES: Readonly<Record<string, string>> = { ReadWriteOnce: 'RWO', ReadOnlyMany: 'ROX', ReadWriteMany: 'RWX', ReadWriteOncePod: 'RWOP' };

function nodeStatus(node: KubeObject): string {
  const ready = condition(node, 'Ready');
  const word = ready === undefined ? 'Unknown' : ready['status'] === 'True' ? 'Ready' : 'NotReady';
  return at(node, 'spec', 'unschedulable') === true ? `${word},SchedulingDisabled` : word;
}

const roles = (node: KubeObject): string => {
  const labels = node.metadata.labels ?? {};
  const found = Object.entries(labels).flatMap(([key, value]) =>
    key.startsWith(ROLE) && key.length > ROLE.length ? [key.slice(ROLE.length)] : key === 'kubernetes.io/role' && value !== '' ? [value] : [],
  );
  return found.sort().join(',') || NONE;
};

const address =
  (type: string) =>
  (node: KubeObject): string =>
    text(list(at(node, 'status', 'addresses')).find((each) => each['type'] === type)?.['address'], NONE);
const modes = (value: unknown): string => (Array.isArray(value) ? (value as unknown[]).map((mode) => MODES[String(mode)] ?? String(mode)).join(',') : '');

function eventTime(event: KubeObject, now: number): string {
  const series = at(event, 'series', 'lastObservedTime');
  const last = text(event['lastTimestamp']) || text(event['firstTimestamp']) || text(event['eventTime']);
  return series !== undefined ? age(now, series) : last === '' ? '<unknown>' : age(now, last);
}

const source = (event: KubeObject): string => {
  const component = text(at(event, 'source', 'component')) || text(event['reportingComponent']);
  const host = text(at(event, 'source', 'host')) || text(event['reportingInstance']);
  return [component, host].filter((part) => part !== '').join(', ');
};

const ports = (service: KubeObject): string =>
  list(at(service, 'spec', 'ports'))
    .map((port) => `${text(port['port'])}${count(port['nodePort']) > 0 ? `:${text(port['nodePort'])}` : ''}/${text(port['protocol'], 'TCP')}`)
    .join(',') || NONE;

function externalIp(service: KubeObject): string {
  const own = at(service, 'spec', 'externalIPs');
  const given = list(at(service, 'status', 'loadBalancer', 'ingress')).map((each) => text(each['ip']) || text(each['hostname']));
  const manual = Array.isArray(own) ? (own as unknown[]).map(String) : [];
  switch (at(service, 'spec', 'type')) {
    case 'LoadBalancer':
      return [...given, ...manual].join(',') || '<pending>';
    case 'ExternalName':
      return text(at(service, 'spec', 'externalName'));
    default:
      return manual.join(',') || NONE;
  }
}

/** `10.0.0.1:80,10.0.0.2:80 + 3 more...` */
function endpoints(object: KubeObject): string {
  const subsets = list(object['subsets']);
  const all = subsets.flatMap((subset) =>
    list(subset['addresses']).flatMap((each) => {
      const at = list(subset['ports']);
      return at.length === 0 ? [text(each['ip'])] : at.map((port) => `${text(each['ip'])}:${text(port['port'])}`);
    }),
  );
  return all.length === 0 ? NONE : all.length > 3 ? `${all.slice(0, 3).join(',')} + ${all.length - 3} more...` : all.join(',');
}

const some = (items: readonly string[], none: string): string =>
  items.length === 0 ? none : items.length > 3 ? `${items.slice(0, 3).join(',')} + ${items.length - 3} more...` : items.join(',');

function volumeStatus(object: KubeObject): string {
  return object.metadata.deletionTimestamp ? 'Terminating' : text(at(object, 'status', 'phase'));
}

function quotaLine(object: KubeObject, keep: (name: string) => boolean): string {
  const hard = at(object, 'status', 'hard');
  const used = at(object, 'status', 'used');
  return isFields(hard)
    ? Object.keys(hard)
        .sort()
        .filter(keep)
        .map((name) => `${name}: ${text(at(used, name), '0')}/${text(hard[name])}`)
        .join(', ')
    : '';
}

const size = (value: unknown): number => (isFields(value) ? Object.keys(value).length : 0);
const bound = (object: KubeObject, kind: string): string =>
  list(object['subjects'])
    .filter((each: Fields) => each['kind'] === kind)
    .map((each) => (kind === 'ServiceAccount' ? `${text(each['namespace'])}/${text(each['name'])}` : text(each['name'])))
    .join(', ');
const bindings: readonly Column[] = [
  NAME,
  column('Role', (object) => `${text(at(object, 'roleRef', 'kind'))}/${text(at(object, 'roleRef', 'name'))}`),
  AGE,
  wide('Users', (object) => bound(object, 'User')),
  wide('Groups', (object) => bound(object, 'Group')),
  wide('ServiceAccounts', (object) => bound(object, 'ServiceAccount')),
];
const webhooks: readonly Column[] = [NAME, { ...column('Webhooks', (object) => list(object['webhooks']).length), type: 'integer' }, AGE];

export const CLUSTER_COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  Node: [
    NAME,
    column('Status', nodeStatus),
    column('Roles', roles),
    AGE,
    column('Version', (node) => text(at(node, 'status', 'nodeInfo', 'kubeletVersion'))),
    wide('Internal-IP', address('InternalIP')),
    wide('External-IP', address('ExternalIP')),
    wide('OS-Image', (node) => text(at(node, 'status', 'nodeInfo', 'osImage'), '<unknown>')),
    wide('Kernel-Version', (node) => text(at(node, 'status', 'nodeInfo', 'kernelVersion'), '<unknown>')),
    wide('Container-Runtime', (node) => text(at(node, 'status', 'nodeInfo', 'containerRuntimeVersion'), '<unknown>')),
  ],
  Namespace: [NAME, column('Status', (object) => text(at(object, 'status', 'phase'))), AGE],
  Event: [
    column('Last Seen', eventTime),
    column('Type', (event) => text(event['type'])),
    column('Reason', (event) => text(event['reason'])),
    column('Object', (event) => `${text(at(event, 'involvedObject', 'kind')).toLowerCase()}/${text(at(event, 'involvedObject', 'name'))}`),
    wide('Subobject', (event) => text(at(event, 'involvedObject', 'fieldPath'))),
    wide('Source', source),
    column('Message', (event) => text(event['message']).trim()),
    wide('First Seen', (event, now) => age(now, text(event['firstTimestamp']) || text(event['eventTime']))),
    wide('Count', (event) => text(at(event, 'series', 'count') ?? event['count'], '1')),
    { ...NAME, wide: true },
  ],
  Service: [
    NAME,
    column('Type', (object) => text(at(object, 'spec', 'type'))),
    column('Cluster-IP', (object) => text(at(object, 'spec', 'clusterIP'), NONE)),
    column('External-IP', externalIp),
    column('Port(s)', ports),
    AGE,
    wide('Selector', (object) => selector(at(object, 'spec', 'selector'))),
  ],
  Endpoints: [NAME, column('Endpoints', endpoints), AGE],
  EndpointSlice: [
    NAME,
    column('AddressType', (object) => text(object['addressType'])),
    column('Ports', (object) =>
      some(
        list(object['ports']).map((port) => text(port['port'])),
        '<unset>',
      ),
    ),
    column('Endpoints', (object) =>
      some(
        list(object['endpoints']).flatMap((each) => (Array.isArray(each['addresses']) ? (each['addresses'] as unknown[]).map(String) : [])),
        '<unset>',
      ),
    ),
    AGE,
  ],
  Ingress: [
    NAME,
    column('Class', (object) => text(at(object, 'spec', 'ingressClassName'), NONE)),
    column('Hosts', (object) =>
      some(
        list(at(object, 'spec', 'rules')).map((rule) => text(rule['host'], '*')),
        '*',
      ),
    ),
    column('Address', (object) =>
      list(at(object, 'status', 'loadBalancer', 'ingress'))
        .map((each) => text(each['ip']) || text(each['hostname']))
        .join(','),
    ),
    column('Ports', (object) => (list(at(object, 'spec', 'tls')).length > 0 ? '80, 443' : '80')),
    AGE,
  ],
  IngressClass: [
    NAME,
    column('Controller', (object) => text(at(object, 'spec', 'controller'))),
    column('Parameters', (object) =>
      isFields(at(object, 'spec', 'parameters')) ? `${text(at(object, 'spec', 'parameters', 'kind'))}/${text(at(object, 'spec', 'parameters', 'name'))}` : NONE,
    ),
    AGE,
  ],
  NetworkPolicy: [NAME, column('Pod-Selector', (object) => selector(at(object, 'spec', 'podSelector'))), AGE],
  PersistentVolumeClaim: [
    NAME,
    column('Status', volumeStatus),
    column('Volume', (object) => text(at(object, 'spec', 'volumeName'))),
    column('Capacity', (object) => text(at(object, 'status', 'capacity', 'storage'))),
    column('Access Modes', (object) => modes(at(object, 'status', 'accessModes'))),
    column('StorageClass', (object) => text(at(object, 'spec', 'storageClassName'))),
    column('VolumeAttributesClass', (object) => text(at(object, 'spec', 'volumeAttributesClassName'), '<unset>')),
    AGE,
    wide('VolumeMode', (object) => text(at(object, 'spec', 'volumeMode'), '<unset>')),
  ],
  PersistentVolume: [
    NAME,
    column('Capacity', (object) => text(at(object, 'spec', 'capacity', 'storage'))),
    column('Access Modes', (object) => modes(at(object, 'spec', 'accessModes'))),
    column('Reclaim Policy', (object) => text(at(object, 'spec', 'persistentVolumeReclaimPolicy'))),
    column('Status', volumeStatus),
    column('Claim', (object) =>
      isFields(at(object, 'spec', 'claimRef')) ? `${text(at(object, 'spec', 'claimRef', 'namespace'))}/${text(at(object, 'spec', 'claimRef', 'name'))}` : '',
    ),
    column('StorageClass', (object) => text(at(object, 'spec', 'storageClassName'))),
    column('VolumeAttributesClass', (object) => text(at(object, 'spec', 'volumeAttributesClassName'), '<unset>')),
    column('Reason', (object) => text(at(object, 'status', 'reason'))),
    AGE,
    wide('VolumeMode', (object) => text(at(object, 'spec', 'volumeMode'), '<unset>')),
  ],
  StorageClass: [
    {
      ...NAME,
      cell: ({ metadata }) => (metadata.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true' ? `${metadata.name} (default)` : metadata.name),
    },
    column('Provisioner', (object) => text(object['provisioner'])),
    column('ReclaimPolicy', (object) => text(object['reclaimPolicy'], 'Delete')),
    column('VolumeBindingMode', (object) => text(object['volumeBindingMode'], '<unset>')),
    column('AllowVolumeExpansion', (object) => (object['allowVolumeExpansion'] === true ? 'true' : 'false')),
    AGE,
  ],
  VolumeAttachment: [
    NAME,
    column('Attacher', (object) => text(at(object, 'spec', 'attacher'))),
    column('PV', (object) => text(at(object, 'spec', 'source', 'persistentVolumeName'))),
    column('Node', (object) => text(at(object, 'spec', 'nodeName'))),
    column('Attached', (object) => (at(object, 'status', 'attached') === true ? 'true' : 'false')),
    AGE,
  ],
  ConfigMap: [NAME, column('Data', (object) => String(size(object['data']) + size(object['binaryData']))), AGE],
  Secret: [NAME, column('Type', (object) => text(object['type'])), column('Data', (object) => String(size(object['data']))), AGE],
  ServiceAccount: [NAME, column('Secrets', (object) => String(list(object['secrets']).length)), AGE],
  ResourceQuota: [
    NAME,
    column('Request', (object) => quotaLine(object, (name) => !name.startsWith('limits.'))),
    column('Limit', (object) => quotaLine(object, (name) => name.startsWith('limits.'))),
    AGE,
  ],
  Lease: [NAME, column('Holder', (object) => text(at(object, 'spec', 'holderIdentity'))), AGE],
  PriorityClass: [
    NAME,
    { ...column('Value', (object) => count(object['value'])), type: 'integer' },
    column('Global-Default', (object) => (object['globalDefault'] === true ? 'true' : 'false')),
    AGE,
    column('PreemptionPolicy', (object) => text(object['preemptionPolicy'], 'PreemptLowerPriority')),
  ],
  RuntimeClass: [NAME, column('Handler', (object) => text(object['handler'])), AGE],
  ValidatingWebhookConfiguration: webhooks,
  MutatingWebhookConfiguration: webhooks,
  RoleBinding: bindings,
  ClusterRoleBinding: bindings,
  Role: [NAME, column('Created At', (object) => text(object.metadata.creationTimestamp))],
  ClusterRole: [NAME, column('Created At', (object) => text(object.metadata.creationTimestamp))],
  CustomResourceDefinition: [NAME, column('Created At', (object) => text(object.metadata.creationTimestamp))],
  APIService: [
    NAME,
    column('Service', (object) =>
      isFields(at(object, 'spec', 'service')) ? `${text(at(object, 'spec', 'service', 'namespace'))}/${text(at(object, 'spec', 'service', 'name'))}` : 'Local',
    ),
    column('Available', (object) => {
      const available = condition(object, 'Available');
      return available === undefined ? 'Unknown' : available['status'] === 'True' ? 'True' : `${text(available['status'])} (${text(available['reason'])})`;
    }),
    AGE,
  ],
};
