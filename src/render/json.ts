import type { Renderer } from './index.ts';
import schema from './report.schema.json' with { type: 'json' };

interface Shape {
  $ref?: string;
  properties?: Record<string, Shape>;
  items?: Shape;
}

const definitions = schema.$defs as Record<string, Shape>;

/**
 * The Report as JSON, verbatim: nothing is escaped but what JSON itself escapes. The keys come in the order of the published
 * schema, so the same report gives the same bytes however it was put together.
 */
export const renderJson: Renderer = (report) => `${JSON.stringify(ordered(report, formOf(schema as Shape)), null, 2)}\n`;

/** Names of a shape's properties in the schema's order, and the form of each. */
const tables = new WeakMap<Shape, [name: string, form: Shape | undefined][]>();

const formOf = (shape: Shape | undefined): Shape | undefined => (shape?.$ref ? definitions[shape.$ref.slice('#/$defs/'.length)] : shape);

function tableOf(form: Shape): [name: string, form: Shape | undefined][] {
  let table = tables.get(form);
  if (!table) tables.set(form, (table = Object.entries(form.properties ?? {}).map(([name, each]) => [name, formOf(each)])));
  return table;
}

function ordered(value: unknown, form: Shape | undefined): unknown {
  if (value === null || typeof value !== 'object' || !form) return value;
  if (Array.isArray(value)) {
    const item = formOf(form.items);
    return item ? value.map((each) => ordered(each, item)) : value;
  }
  const fields = value as Record<string, unknown>;
  const sorted: Record<string, unknown> = {};
  const table = tableOf(form);
  let left = Object.keys(fields).length;
  for (const [name, each] of table) {
    if (!Object.hasOwn(fields, name)) continue;
    sorted[name] = ordered(fields[name], each);
    left -= 1;
  }
  if (left === 0) return sorted;
  const others = Object.keys(fields).filter((name) => !Object.hasOwn(sorted, name)).sort();
  return Object.fromEntries([...Object.entries(sorted), ...others.map((name) => [name, fields[name]])]);
}
