/** `test/gate/recorded/<name>/`: the time line of a gate, `provenance.md`, and `expected.yaml` with what it came to and when. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Report } from '../src/model/report.ts';

export const GATES = join(import.meta.dirname, 'gate', 'recorded');

/** What a gate decided: the same from the same looks, at the same second. */
export interface Decided {
  verdict: Report['verdict'];
  says: string;
  /** Seconds after the fence. */
  seconds: number;
  looks: number;
  targets: string[];
  findings: string[];
}

export const decidedIn = ({ verdict, gate, findings }: Report): Decided => ({
  verdict, says: gate?.says ?? '', seconds: gate?.seconds ?? 0, looks: gate?.looks ?? 0,
  targets: (gate?.targets ?? []).map(({ kind, name, state, says }) => `${kind}/${name} ${state}: ${says}`),
  findings: findings.map(({ role, certainty, layer, rule, title }) => `${role} ${certainty} ${layer} [${rule}] ${title}`),
});

export interface GateFixture {
  name: string;
  path: string;
  expected: Decided;
}

export const gateFixtures: GateFixture[] = (existsSync(GATES) ? readdirSync(GATES) : [])
  .filter((name) => existsSync(join(GATES, name, 'expected.yaml')))
  .sort()
  .map((name) => ({ name, path: join(GATES, name), expected: parse(readFileSync(join(GATES, name, 'expected.yaml'), 'utf8')) as Decided }));
