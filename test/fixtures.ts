/** `fixtures/<name>/`: a recording, `provenance.md`, and `expected.yaml` with what must be found in it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Finding } from '../src/model/finding.ts';
import type { Report } from '../src/model/report.ts';
import { type Opened, openSource } from '../src/source/index.ts';

export const FIXTURES = join(import.meta.dirname, '..', 'fixtures');

export interface Expected {
  verdict: Report['verdict'];
  /** Complete: one finding too many fails like one too few. */
  findings: { rule: string; role: Finding['role']; layer: string; certainty: string; title: string; subjects: string[] }[];
}

export interface Fixture {
  name: string;
  path: string;
  expected: Expected;
}

export const fixtures: Fixture[] = (existsSync(FIXTURES) ? readdirSync(FIXTURES) : [])
  .filter((name) => existsSync(join(FIXTURES, name, 'expected.yaml')))
  .sort()
  .map((name) => ({ name, path: join(FIXTURES, name), expected: parse(readFileSync(join(FIXTURES, name, 'expected.yaml'), 'utf8')) as Expected }));

export const open = async (fixture: Fixture): Promise<Opened> => openSource({ from: [fixture.path] });

const held = new Map<string, Promise<Opened>>();

/** The same, read once for all tests: a snapshot is never changed, only rebuilt. */
export function opened(fixture: Fixture): Promise<Opened> {
  let found = held.get(fixture.name);
  if (!found) held.set(fixture.name, (found = open(fixture)));
  return found;
}

/** A report reduced to what `expected.yaml` states. */
export const summary = (report: Report): Expected => ({
  verdict: report.verdict,
  findings: report.findings.map(({ rule, role, layer, certainty, title, subjects }) => ({
    rule, role, layer, certainty, title,
    subjects: subjects.map(({ kind, namespace, name }) => [kind, namespace, name].filter(Boolean).join('/')),
  })),
});
