import type { KubeObject, Writer } from '../model/kinds.ts';

/** An object as the API gave it: what the door made of managedFields becomes managedFields again, two levels deep. */
export function outward(object: KubeObject): KubeObject {
  const { writers, ...metadata } = object.metadata;
  if (!writers) return object;
  const group = object.apiVersion;
  return { ...object, metadata: { ...metadata, managedFields: writers.map((writer) => managed(writer, group)) } as KubeObject['metadata'] };
}

function managed({ manager, operation, subresource, time, paths }: Writer, apiVersion: string): object {
  return {
    manager,
    operation,
    apiVersion,
    ...(time ? { time } : {}),
    fieldsType: 'FieldsV1',
    fieldsV1: fieldsOf(paths),
    ...(subresource ? { subresource } : {}),
  };
}

/** `spec.replicas` to `{"f:spec":{"f:replicas":{}}}`; members of a set, as `metadata.finalizers["a"]`, to `v:"a"`. */
function fieldsOf(paths: readonly string[]): object {
  const fields: Record<string, Record<string, Record<string, object>>> = {};
  for (const path of paths) {
    const [, top = '', rest, member] = /^([^.[]+)(?:\.(.*?))?(?:\[(.*)\])?$/s.exec(path) ?? [];
    if (top === '') continue;
    const below = (fields[`f:${top}`] ??= {});
    if (rest === undefined || rest === '') continue;
    const at = (below[`f:${rest}`] ??= {});
    if (member !== undefined) at[`v:${member}`] = {};
  }
  return fields;
}

/** Metadata alone, as `PartialObjectMetadata` of meta.k8s.io/v1. */
export const partial = (object: KubeObject): object => ({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: outward(object).metadata });
