import type { Snapshot } from '../model/snapshot.ts';
import { type ServedResource, versionOf } from './resources.ts';

interface CrdVersion {
  name?: string;
  schema?: { openAPIV3Schema?: object };
}

/**
 * /openapi/v3: a document a group and version. Those of built-in kinds are named, too, though a recording has none: what is not named
 * kubectl takes for a kind that does not exist, and what is asked for is told to be not recorded.
 */
export function openapiIndex(served: readonly ServedResource[], snapshot: Snapshot): object {
  const paths: Record<string, object> = {};
  for (const resource of served) {
    const path = `${resource.group === '' ? 'api' : 'apis'}/${versionOf(resource)}`;
    paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${snapshot.now.toString(36)}` };
  }
  return { paths };
}

/** The document of a group and version; null where nothing is known of it. */
export function openapiOf(group: string, version: string, served: readonly ServedResource[], snapshot: Snapshot): object | null {
  const schemas: Record<string, object> = {};
  const paths: Record<string, object> = {};
  for (const resource of served) {
    const schema = resource.group === group && resource.version === version ? schemaOf(resource, snapshot) : null;
    if (!schema) continue;
    const gvk = { group, version, kind: resource.kind };
    const name = `${group.split('.').reverse().join('.')}.${version}.${resource.kind}`;
    schemas[name] = { ...schema, 'x-kubernetes-group-version-kind': [gvk] };
    const content = { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } };
    paths[`/apis/${group}/${version}/${resource.namespaced ? 'namespaces/{namespace}/' : ''}${resource.resource}/{name}`] = {
      get: {
        operationId: `read${resource.kind}`,
        responses: { 200: { description: 'OK', content } },
        'x-kubernetes-action': 'get',
        'x-kubernetes-group-version-kind': gvk,
      },
    };
  }
  return Object.keys(schemas).length > 0
    ? { openapi: '3.0.0', info: { title: 'Recorded definitions', version: 'unversioned' }, paths, components: { schemas } }
    : null;
}

function schemaOf({ group, resource, version }: ServedResource, snapshot: Snapshot): object | null {
  const crd = snapshot.seen('CustomResourceDefinition').find((each) => each.metadata.name === `${resource}.${group}`);
  const versions = (crd?.spec?.versions ?? []) as CrdVersion[];
  return versions.find((each) => each.name === version)?.schema?.openAPIV3Schema ?? null;
}
