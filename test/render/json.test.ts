import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { renderJson } from '../../src/render/json.ts';
import { samples, untrusted } from './samples.ts';

const PLAIN = { color: true, width: 80, verbose: true };
const schema = JSON.parse(readFileSync(new URL('../../src/render/report.schema.json', import.meta.url), 'utf8')) as object;
const ajv = new Ajv({ allErrors: true, formats: { 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/ } });
const valid = ajv.compile(schema);

/** The same value with every object's keys in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).reverse().map(([key, inner]) => [key, reversed(inner)]));
}

describe('the report as JSON', () => {
  for (const [name, report] of Object.entries(samples)) {
    test(`${name} is what the schema says, and loses nothing`, () => {
      const text = renderJson(report, PLAIN);
      const parsed: unknown = JSON.parse(text);
      expect(valid(parsed), JSON.stringify(valid.errors, null, 1)).toBe(true);
      expect(parsed).toEqual(JSON.parse(JSON.stringify(report)));
    });

    test(`${name} gives the same bytes however it was put together`, () => {
      expect(renderJson(reversed(report) as typeof report, PLAIN)).toBe(renderJson(report, PLAIN));
    });
  }

  test('the schema refuses what it does not know and what is missing', () => {
    const report = JSON.parse(JSON.stringify(samples['oneCause'])) as Record<string, unknown>;
    expect(valid({ ...report, extra: 1 })).toBe(false);
    expect(valid({ ...report, verdict: 'fine' })).toBe(false);
    const { findings: _, ...without } = report;
    expect(valid(without)).toBe(false);
  });

  test('what the cluster said stays verbatim', () => {
    const parsed = JSON.parse(renderJson(untrusted, PLAIN)) as typeof untrusted;
    expect(parsed.findings[0]?.title).toBe(untrusted.findings[0]?.title);
    expect(renderJson(untrusted, PLAIN)).not.toContain('\u001b');
  });
});
