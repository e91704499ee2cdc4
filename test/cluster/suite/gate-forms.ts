import { Ajv } from 'ajv';
import { expect } from 'vitest';
import sarifSchema from '../../render/sarif-2.1.0.subset.json' with { type: 'json' };
import type { Trial } from './side-by-side.ts';

const valid = new Ajv({ allErrors: true, strict: false, formats: { uri: true, 'uri-reference': /^[^\s\\]*$/, 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/ } }).compile(sarifSchema);

/** What a pipeline makes of the same gate: each form is valid, tells the same verdict, and names the same cause where there is one. */
export function judgeForms({ report, forms, rollout: { byManifest } }: Trial): void {
  const { junit = '', sarif = '', github = '', gitlab = '', markdown = '' } = forms;
  const log = JSON.parse(sarif);
  expect(valid(log), JSON.stringify(valid.errors)).toBe(true);
  const root = report.verdict === 'failed' ? report.findings.find(({ role }) => role === 'root') : undefined;
  expect(/ failures="(\d+)"/.exec(junit)?.[1]).toBe(root ? '1' : '0');
  expect(github.startsWith('::error ')).toBe(report.verdict !== 'healthy');
  expect(markdown.split('\n')[0]).toMatch(/^## /);
  if (!root) return;
  const place = byManifest ? /web\.yaml/ : /./;
  expect(junit).toContain(`<failure type="${root.rule}"`);
  expect(log.runs[0].results[0]).toMatchObject({ ruleId: root.rule, level: 'error' });
  expect(JSON.parse(gitlab)[0]).toMatchObject({ check_name: root.rule, location: { path: expect.stringMatching(place) } });
  expect(github).toContain(`title=${root.layer.toUpperCase()}%3A `);
  expect(markdown).toContain(`### 1. ${root.layer.toUpperCase()}: `);
  if (!byManifest) return;
  expect(log.runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri).toMatch(place);
  expect(github).toMatch(/^::error file=\S*web\.yaml,line=\d+,/);
  expect(junit).toMatch(/file="[^"]*web\.yaml" line="\d+"/);
}
