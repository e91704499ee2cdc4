import type { KubeObject } from '../model/kinds.ts';
import { kindKey, resourceOfKind } from '../model/resources.ts';
import { conform } from './conform.ts';
import type { Notes } from './notes.ts';
import type { Redactor } from './redact.ts';
import { GENERIC, METADATA, POD, POD_BESIDE_CONTAINERS, SHAPES } from './shapes.ts';
import { type Siblings, createSiblings } from './siblings.ts';
import { trim } from './trim.ts';

export interface Door {
  redactor: Redactor;
  notes: Notes;
  /** An API server sends its own kinds only in their own types (it decodes them into Go structs); whatever lay in a file may not be so. */
  typed?: boolean;
  /** Made by the first pod that comes in. */
  siblings?: Siblings;
}

/** What the list says of its items: a typed list's items carry neither kind nor apiVersion. */
export interface ItemKind {
  apiVersion: string;
  kind: string;
}

/**
 * Every object of every source comes in here: named, of a kind, its known parts of the right type, reduced and redacted.
 * Changes the object in place; null (and a note) where it cannot be told what it is.
 */
export function admit(raw: unknown, door: Door, item?: ItemKind): KubeObject | null {
  if (raw === null || typeof raw !== 'object' || Array.isArray(raw)) {
    door.notes.add('Something that is not an object was skipped.');
    return null;
  }
  const fields = raw as Record<string, unknown>;
  if (typeof fields['kind'] !== 'string' || fields['kind'] === '') {
    if (!item) return skip(door, 'An object without kind was skipped.');
    fields['kind'] = item.kind;
  }
  if (typeof fields['apiVersion'] !== 'string' || fields['apiVersion'] === '') {
    const apiVersion = item?.apiVersion ?? builtInVersion(fields['kind'] as string);
    if (!apiVersion) return skip(door, `A ${String(fields['kind'])} without apiVersion was skipped.`);
    fields['apiVersion'] = apiVersion;
  }
  const metadata = fields['metadata'] as Record<string, unknown> | undefined;
  if ((door.typed ? typeof metadata !== 'object' : !conform(metadata, METADATA)) || typeof metadata?.['name'] !== 'string' || metadata['name'] === '') {
    return skip(door, `A ${String(fields['kind'])} without metadata.name was skipped.`);
  }
  const object = fields as KubeObject;
  const key = kindKey(object.apiVersion, object.kind);
  place(object, key);
  if (key === 'Pod') return admitPod(object, door);
  const shape = SHAPES[key];
  if (!door.typed || !shape) conform(object, shape ?? GENERIC);
  trim(object);
  door.redactor.object(object);
  return object;
}

function admitPod(pod: KubeObject, door: Door): KubeObject {
  const siblings = (door.siblings ??= createSiblings(door.typed === true));
  const alike = siblings.alike(pod);
  if (!door.typed) conform(pod, alike ? POD_BESIDE_CONTAINERS : POD);
  trim(pod);
  const before = door.redactor.count();
  door.redactor.object(pod, alike);
  if (!alike) siblings.keep(pod, door.redactor.count() === before);
  return pod;
}

// A built-in kind stands where the API would put it; in a hand-made dump it may stand elsewhere.
function place(object: KubeObject, key: string): void {
  const resource = resourceOfKind(key);
  if (!resource) return;
  if (!resource.namespaced) delete object.metadata.namespace;
  else if (!object.metadata.namespace) object.metadata.namespace = 'default';
}

function skip(door: Door, note: string): null {
  door.notes.add(note);
  return null;
}

function builtInVersion(kind: string): string | null {
  const resource = resourceOfKind(kind);
  if (!resource) return null;
  return resource.group ? `${resource.group}/${resource.version}` : resource.version;
}
