/**
 * Every recording, and some of the cases, bent in ways that a real cluster could be: the cause stays what it is.
 * Each meets every second way; `MUTATIONS=all` has all of them, of every case.
 */
import { describe, expect, test } from 'vitest';
import { diagnose } from '../../src/engine/index.ts';
import { Snapshot } from '../../src/model/snapshot.ts';
import { ruleSet } from '../../tools/rule-files.ts';
import { loadCases, scopeOf, snapshotOf } from '../cases/case.ts';
import { fixtures, open } from '../fixtures.ts';
import type { Mutation, Recording } from './bend.ts';
import { allBeside, besides } from './beside.ts';
import { forms } from './forms.ts';
import { turns } from './turns.ts';

const ALL = process.env['MUTATIONS'] === 'all';
const EVERY = ALL ? 1 : 30;
const ways = [...forms, ...turns];
const rules = ruleSet();

/** Of a status that judges nothing the complaint of its controller tells; without it, that nobody has taken the object up. */
const MUTE = new Set(['blind2/api-operator-lost-a-right-on-upgrade']);

/** What was broken by whom, a line each. */
function broken(recording: Recording, mutations: readonly Mutation[]): string[] {
  const before = diagnose(recording.snapshot, recording.scope, { rules });
  const of = (mutation: Mutation): string[] => {
    const bent = mutation.bend(recording);
    return bent ? mutation.holds(before, diagnose(new Snapshot(bent.input), bent.scope ?? recording.scope, { rules }), bent).map((what) => `${mutation.name}: ${what}`) : [];
  };
  const whole = of(allBeside);
  // One look for all of them; where that moves anything, which one it was.
  return [...(whole.length > 0 ? [...whole, ...besides.flatMap(of)] : []), ...mutations.flatMap(of)];
}

const some = (index: number): Mutation[] => (ALL ? ways : ways.filter((_, place) => (place + index) % 2 === 0));

describe('a recording', () => {
  test.each(fixtures.map((fixture, index) => ({ fixture, index, name: fixture.name })))('$name', async ({ fixture, index, name }) => {
    expect(broken({ name, ...(await open(fixture)) }, some(index))).toEqual([]);
  });
});

describe('a case', () => {
  const cases = loadCases().filter(({ group }) => group !== 'hostile').filter((_, index) => index % EVERY === 7 % EVERY);
  test.each(cases.map((one, index) => ({ one, index, name: `${one.group}/${one.id}` })))('$name', ({ one, index, name }) => {
    if (MUTE.has(name)) return;
    expect(broken({ name, snapshot: snapshotOf(one), scope: scopeOf(one) }, some(index))).toEqual([]);
  });
});
