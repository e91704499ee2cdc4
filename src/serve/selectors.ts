import type { KubeObject } from '../model/kinds.ts';

export type Matcher = (object: KubeObject) => boolean;

/** The words of a selector that cannot be understood. */
export class BadSelector extends Error {}

const KEY = /^(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const VALUE = /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;

/** A label selector by the whole grammar: `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b)`, `a`, `!a`, `a>1`, `a<1` (apimachinery, labels/selector.go). */
export function labelMatcher(text: string): Matcher {
  const terms = split(text).map(labelTerm);
  return (object) => terms.every((term) => term(object.metadata.labels ?? {}));
}

type Term = (labels: Record<string, string>) => boolean;

function labelTerm(text: string): Term {
  const set = /^(\S+)\s+(in|notin)\s*\(([^()]*)\)$/.exec(text);
  if (set) {
    const [, key = '', operator, list = ''] = set;
    const values = list.split(',').map((value) => checked(value.trim(), VALUE));
    checked(key, KEY);
    // notin, like !=, holds where there is no such label.
    return operator === 'in'
      ? (labels) => key in labels && values.includes(labels[key] ?? '')
      : (labels) => !(key in labels) || !values.includes(labels[key] ?? '');
  }
  const [, not, key = '', operator, raw = ''] = /^(!?)\s*([^\s=!<>]+)\s*(?:(==?|!=|>|<)\s*(\S*))?$/.exec(text) ?? [];
  checked(key, KEY);
  if (operator === undefined) return not ? (labels) => !(key in labels) : (labels) => key in labels;
  if (not) throw new BadSelector(`unable to parse requirement: ${text}`);
  const value = checked(raw, VALUE);
  switch (operator) {
    case '!=':
      return (labels) => labels[key] !== value;
    case '>':
    case '<': {
      const bound = Number.parseInt(value, 10);
      if (Number.isNaN(bound)) throw new BadSelector(`for 'Gt', 'Lt' operators, the value must be an integer: ${text}`);
      return (labels) => (operator === '>' ? Number.parseInt(labels[key] ?? '', 10) > bound : Number.parseInt(labels[key] ?? '', 10) < bound);
    }
    default:
      return (labels) => labels[key] === value;
  }
}

const checked = (text: string, shape: RegExp): string => {
  if (!shape.test(text)) throw new BadSelector(`unable to parse requirement: "${text.slice(0, 100)}"`);
  return text;
};

/** Commas between requirements, not those inside parentheses. */
function split(text: string): string[] {
  const parts = text.split(/,(?![^(]*\))/).map((part) => part.trim());
  if (parts.length === 1 && parts[0] === '') return [];
  if (parts.includes('')) throw new BadSelector('found an empty requirement');
  return parts;
}

export interface FieldTerm {
  field: string;
  value: string;
  not: boolean;
}

/** A field selector taken apart: `a=b`, `a==b`, `a!=b`; `\,` `\=` and `\\` are escapes (apimachinery, fields/selector.go). */
export function fieldTerms(text: string): FieldTerm[] {
  return (text.match(/(?:\\.|[^,\\])+/g) ?? []).map((part) => {
    const [, field = '', sign = '', value = ''] = /^([^=!]+)(!=|==?)(.*)$/s.exec(part.trim()) ?? [];
    if (field === '') throw new BadSelector(`invalid field selector: "${part.slice(0, 100)}"`);
    return { field, not: sign === '!=', value: value.replace(/\\(.)/g, '$1') };
  });
}

// What the API server lets be selected besides name and namespace, by kind (pkg/registry/*/strategy.go, pkg/apis/core/v1/conversion.go).
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  Pod: [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'spec.hostNetwork',
    'status.phase',
    'status.podIP',
    'status.nominatedNodeName',
  ],
  Event: [
    'involvedObject.kind',
    'involvedObject.namespace',
    'involvedObject.name',
    'involvedObject.uid',
    'involvedObject.apiVersion',
    'involvedObject.resourceVersion',
    'involvedObject.fieldPath',
    'reason',
    'reportingComponent',
    'source',
    'type',
  ],
  Node: ['spec.unschedulable'],
  Namespace: ['status.phase'],
  Secret: ['type'],
  ReplicaSet: ['status.replicas'],
  ReplicationController: ['status.replicas'],
  Job: ['status.successful'],
};

/** Raises BadSelector for a field that the API server cannot select that kind by. */
export function fieldMatcher(terms: readonly FieldTerm[], kind: string): Matcher {
  for (const { field } of terms) {
    if (field !== 'metadata.name' && field !== 'metadata.namespace' && !FIELDS[kind]?.includes(field))
      throw new BadSelector(`field label not supported: ${field.slice(0, 100)}`);
  }
  return (object) => terms.every(({ field, value, not }) => (valueAt(object, field) === value) !== not);
}

function valueAt(object: KubeObject, field: string): string {
  const path = field === 'source' ? ['source', 'component'] : field === 'status.successful' ? ['status', 'succeeded'] : field.split('.');
  let at: unknown = object;
  for (const key of path) at = at !== null && typeof at === 'object' ? (at as Record<string, unknown>)[key] : undefined;
  // Numbers and booleans that are not set are selected by their zero values.
  if (at === undefined || at === null) return /replicas|successful/.test(field) ? '0' : /unschedulable|hostNetwork/.test(field) ? 'false' : '';
  return String(at);
}
