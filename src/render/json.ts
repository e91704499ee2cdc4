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

interface Place {
  /** The property's place in the schema. */
  at: number;
  form: Shape | undefined;
}

const tables = new WeakMap<Shape, ReadonlyMap<string, Place>>();

const formOf = (shape: Shape | undefined): Shape | undefined => (shape?.$ref ? definitions[shape.$ref.slice('#/$defs/'.length)] : shape);

function placesOf(form: Shape): ReadonlyMap<string, Place> {
  let table = tables.get(form);
  if (!table) tables.set(form, (table = new Map(Object.entries(form.properties ?? {}).map(([name, each], at) => [name, { at, form: formOf(each) }]))));
  return table;
}

/** The value itself where its keys are in order already, which most are. */
function ordered(value: unknown, form: Shape | undefined): unknown {
  if (value === null || typeof value !== 'object' || !form) return value;
  if (Array.isArray(value)) {
    const item = formOf(form.items);
    if (!item) return value;
    const items = value.map((each) => ordered(each, item));
    return items.every((each, i) => each === value[i]) ? value : items;
  }
  const places = placesOf(form);
  const fields = value as Record<string, unknown>;
  let inside: Record<string, unknown> | null = null;
  let isOrdered = true;
  let last = -1;
  for (const name in fields) {
    const place = places.get(name);
    if (!place || place.at < last) isOrdered = false;
    else last = place.at;
    if (!place?.form) continue;
    const held = ordered(fields[name], place.form);
    if (held !== fields[name]) (inside ??= {})[name] = held;
  }
  if (isOrdered && !inside) return value;
  // What the schema does not name comes last, by name.
  const placeOf = (name: string): number => places.get(name)?.at ?? Number.POSITIVE_INFINITY;
  return Object.fromEntries(Object.entries({ ...fields, ...inside }).sort(([a], [b]) => placeOf(a) - placeOf(b) || (a < b ? -1 : 1)));
}
