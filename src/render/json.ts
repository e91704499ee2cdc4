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
export const renderJson: Renderer = (report) => `${JSON.stringify(ordered(report, schema as Shape), null, 2)}\n`;

function ordered(value: unknown, shape: Shape | undefined): unknown {
  const form = shape?.$ref ? definitions[shape.$ref.slice('#/$defs/'.length)] : shape;
  if (value === null || typeof value !== 'object' || !form) return value;
  if (Array.isArray(value)) return value.map((item) => ordered(item, form.items));
  const fields = value as Record<string, unknown>;
  const known = Object.keys(form.properties ?? {});
  const others = Object.keys(fields).filter((key) => !known.includes(key));
  const keys = [...known.filter((key) => Object.hasOwn(fields, key)), ...others.sort()];
  return Object.fromEntries(keys.map((key) => [key, ordered(fields[key], form.properties?.[key])]));
}
