import type { CustomResourceDefinition, KubeObject } from '../../model/kinds.ts';
import { outward, partial } from '../outward.ts';
import { AGE, type Column, NAME, age, column } from './cells.ts';
import { CLUSTER_COLUMNS } from './cluster.ts';
import { POD_COLUMNS } from './pods.ts';
import { WORKLOAD_COLUMNS } from './workloads.ts';

const BUILT_IN: Readonly<Record<string, readonly Column[]>> = { Pod: POD_COLUMNS, ...WORKLOAD_COLUMNS, ...CLUSTER_COLUMNS };

/** What kubectl shows of a kind (kindKey); of a custom one, what its definition says, where it was recorded. */
export function columnsOf(key: string, version: string, crd: CustomResourceDefinition | undefined): readonly Column[] {
  const builtIn = Object.hasOwn(BUILT_IN, key) ? BUILT_IN[key] : undefined;
  if (builtIn) return builtIn;
  const versions = (crd?.spec?.versions ?? []) as {
    name?: string;
    additionalPrinterColumns?: { name?: string; type?: string; jsonPath?: string; priority?: number }[];
  }[];
  const printed = versions.find((each) => each.name === version)?.additionalPrinterColumns ?? [];
  if (printed.length === 0) return [NAME, AGE];
  return [
    NAME,
    ...printed.map(({ name = '', type, jsonPath = '', priority = 0 }) =>
      column(
        name,
        (object, now) => {
          const value = followed(object, jsonPath);
          if (value === undefined || value === null) return '';
          return type === 'date' ? age(now, value) : typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean);
        },
        priority > 0 ? { wide: true } : {},
      ),
    ),
  ];
}

/** `.status.conditions[?(@.type=="Ready")].status`: fields, indexes and one equality, which is all that definitions use. */
function followed(object: KubeObject, path: string): unknown {
  let at: unknown = object;
  for (const [, field, index, key, wanted] of path.matchAll(/\.([\w-]+)|\[(\d+)\]|\[\?\(@\.([\w.-]+)\s*==\s*["']([^"']*)["']\)\]/g)) {
    if (field !== undefined) at = (at as Record<string, unknown> | null | undefined)?.[field];
    else if (!Array.isArray(at)) return undefined;
    else if (index !== undefined) at = (at as unknown[])[Number(index)];
    else at = (at as Record<string, unknown>[]).find((entry) => entry?.[key ?? ''] === wanted);
    if (at === undefined || at === null) return undefined;
  }
  return at;
}

export interface TableOptions {
  /** `meta.k8s.io/v1` or v1beta1. */
  apiVersion: string;
  /** What comes with each row: the metadata unless asked otherwise. */
  include: string;
  now: number;
  metadata: object;
  /** Left out in later events of a watch. */
  headers: boolean;
}

/** meta.k8s.io Table, with ages counted at `now` (the clock of the recording). */
export function tableOf(objects: readonly KubeObject[], columns: readonly Column[], { apiVersion, include, now, metadata, headers }: TableOptions): object {
  return {
    kind: 'Table',
    apiVersion,
    metadata,
    columnDefinitions: headers
      ? columns.map(({ name, type = 'string', wide }) => ({
          name,
          type,
          format: name === 'Name' ? 'name' : '',
          description: '',
          priority: wide ? 1 : 0,
        }))
      : null,
    rows: objects.map((object) => ({
      cells: columns.map((each) => each.cell(object, now)),
      ...(include === 'None' ? {} : { object: include === 'Object' ? outward(object) : { ...partial(object), apiVersion } }),
    })),
  };
}
