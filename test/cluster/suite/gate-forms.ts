import { expect } from 'vitest';
import { isSarif } from '../../render/sarif-schema.ts';
import type { Trial } from './side-by-side.ts';

/** What a pipeline makes of the same gate: each form is valid, tells the same verdict, and names the same cause where there is one. */
export function judgeForms({ report, forms, rollout: { byManifest } }: Trial): void {
  const { junit = '', sarif = '', github = '', gitlab = '', markdown = '' } = forms;
  const log = JSON.parse(sarif);
  expect(isSarif(log), JSON.stringify(isSarif.errors)).toBe(true);
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
