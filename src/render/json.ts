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
  const placeOf = (name: string): number => places.get(name)?.at ?? Number.POSITIVE_INFINITY;
  let isOrdered = true;
  let last = -1;
  const fields = Object.entries(value).map(([name, held]): [string, unknown] => {
    const at = placeOf(name);
    const inside = ordered(held, places.get(name)?.form);
    if (at <= last || at === Number.POSITIVE_INFINITY || inside !== held) isOrdered = false;
    last = at;
    return [name, inside];
  });
  if (isOrdered) return value;
  // What the schema does not name comes last, by name.
  return Object.fromEntries(fields.sort(([a], [b]) => placeOf(a) - placeOf(b) || (a < b ? -1 : 1)));
}
