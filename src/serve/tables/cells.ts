import type { KubeObject } from '../../model/kinds.ts';
import { type Fields, isFields } from '../../model/fields.ts';

/** What kubectl shows of one kind; `wide` only with -o wide. */
export interface Column {
  name: string;
  type?: 'integer' | 'boolean';
  wide?: boolean;
  cell(object: KubeObject, now: number): string | number | boolean;
}

/** The value at a path; undefined where anything on the way is missing. */
export function at(value: unknown, ...path: string[]): unknown {
  for (const key of path) value = isFields(value) ? value[key] : undefined;
  return value;
}

export const text = (value: unknown, none = ''): string => (value === undefined || value === null || value === '' ? none : String(value));
export const count = (value: unknown): number => (typeof value === 'number' ? value : 0);
export const list = (value: unknown): Fields[] => (Array.isArray(value) ? (value as unknown[]).filter(isFields) : []);
export const NONE = '<none>';

/** As kubectl prints ages (apimachinery, util/duration/duration.go, HumanDuration). */
export function age(now: number, time: unknown): string {
  const then = typeof time === 'string' ? Date.parse(time) : NaN;
  return Number.isNaN(then) ? '<unknown>' : human((now - then) / 1000);
}

/** Of seconds. */
export function human(exact: number): string {
  const seconds = Math.trunc(exact);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(seconds / 60);
  if (minutes < 10) return seconds % 60 === 0 ? `${minutes}m` : `${minutes}m${seconds % 60}s`;
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(minutes / 60);
  if (hours < 8) return minutes % 60 === 0 ? `${hours}h` : `${hours}h${minutes % 60}m`;
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (days < 8) return hours % 24 === 0 ? `${days}d` : `${days}d${hours % 24}h`;
  if (days < 730) return `${days}d`;
  const years = Math.trunc(days / 365);
  return years < 8 && days % 365 > 0 ? `${years}y${days % 365}d` : `${years}y`;
}

export const NAME: Column = { name: 'Name', cell: (object) => object.metadata.name };
export const AGE: Column = { name: 'Age', cell: (object, now) => age(now, object.metadata.creationTimestamp) };
export const column = (name: string, cell: Column['cell'], more: Partial<Column> = {}): Column => ({ name, cell, ...more });
export const wide = (name: string, cell: Column['cell']): Column => ({ name, cell, wide: true });
export const number = (name: string, ...path: string[]): Column => ({ name, type: 'integer', cell: (object) => count(at(object, ...path)) });

const containers = (object: KubeObject, ...path: string[]): Fields[] => list(at(object, ...path, 'containers'));
/** The wide columns of containers and images, of the pod template at a path. */
export const boxColumns = (...path: string[]): Column[] => [
  wide('Containers', (object) =>
    containers(object, ...path)
      .map((box) => text(box['name']))
      .join(','),
  ),
  wide('Images', (object) =>
    containers(object, ...path)
      .map((box) => text(box['image']))
      .join(','),
  ),
];

/** A metav1.LabelSelector, or a bare map, as one word. */
export function selector(value: unknown): string {
  if (!isFields(value)) return NONE;
  const labels = isFields(value['matchLabels']) || Array.isArray(value['matchExpressions']) ? value['matchLabels'] : value;
  const equal = isFields(labels)
    ? Object.entries(labels)
        .sort()
        .map(([key, held]) => `${key}=${String(held)}`)
    : [];
  const sets = list(value['matchExpressions']).map((term) => {
    const values = `(${(Array.isArray(term['values']) ? (term['values'] as unknown[]) : []).map(String).join(',')})`;
    const key = text(term['key']);
    return { In: `${key} in ${values}`, NotIn: `${key} notin ${values}`, Exists: key, DoesNotExist: `!${key}` }[text(term['operator'])] ?? key;
  });
  return [...equal, ...sets].join(',') || NONE;
}

/** By its type; undefined where there is none. */
export const condition = (object: unknown, type: string): Fields | undefined => list(at(object, 'status', 'conditions')).find((each) => each['type'] === type);
