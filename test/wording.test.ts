import { describe, expect, it } from 'vitest';
import { diagnose } from '../src/engine/index.ts';
import { snapshotFor } from '../src/engine/tester.ts';
import type { Finding } from '../src/model/finding.ts';
import { loadCases, scopeOf, snapshotOf } from './cases/case.ts';
import { forbid } from './honesty.ts';
import { files, ruleSet, ruleTest } from '../tools/rule-files.ts';

const rules = ruleSet();

/** Every finding that the cases of the rules bring about, each title once. */
function findings(): Finding[] {
  const found = new Map<string, Finding>();
  for (const { file } of files.rules) {
    const test = ruleTest(file);
    for (const each of test?.cases ?? []) {
      if (!test) continue;
      for (const finding of diagnose(snapshotFor(test, each), { namespaces: [], all: true, targets: [] }, { rules, risks: true }).findings) found.set(`${finding.rule} ${finding.title}`, finding);
    }
  }
  return [...found.values()];
}

/** One of a thing told as many. */
const ONE_AS_MANY = /(?<![\d.,/-])\b1 (?:[a-z]+ (?:are|were|have|wait|name)\b|(?:more|healthy|other) [a-z]+s\b|[a-z]+ries\b|(?:pod|time|object|node|claim|Secret)s\b)/;

const unquoted = (line: string): string => line.replaceAll(/'[^']*'|"[^"]*"/g, '');

const NAMES = /\S{25,}/g;

describe('the words of findings', () => {
  const all = findings();
  it('are many enough to tell', () => expect(all.length).toBeGreaterThan(100));

  it('a heading is one short sentence', () => {
    for (const { rule, title } of all) {
      const names = (title.match(NAMES) ?? []).reduce((sum, name) => sum + name.length - 24, 0);
      expect(title.length - names, `${rule}: ${title}`).toBeLessThanOrEqual(144);
      expect(title, rule).toMatch(/^[^\s.,;:].*[^.,;:\s]$/);
      expect(title, rule).not.toContain('(unread)');
    }
  });

  it('nothing is left out of a sentence, and nothing said twice', () => {
    for (const finding of all) {
      for (const words of [finding.title, finding.expected, finding.conclusion]) {
        const where = `${finding.rule}: ${words}`;
        expect(words, where).not.toMatch(/\s{2,}|\s[.,;]|[,;][.,;]|\.\.|\(\s*\)|: ?[.;,]|\bthe of\b|\{\w+\}|undefined|\bNaN\b|\[object/);
        expect(words, where).not.toMatch(/\b(\w{2,}) \1\b/i);
        // What a controller said stands as it said it.
        expect(words.replace(/\bsaid .*$/s, ''), where).not.toMatch(ONE_AS_MANY);
      }
    }
  });

  it('a next line is whole: no name is missing in it', () => {
    for (const { rule, next } of all) {
      expect(next.length, rule).toBeGreaterThan(0);
      for (const line of next) {
        expect(line, rule).not.toMatch(/ -n (?:-| |$)|\s{2,}|=( |$)|\{(?:ns|name|node|kind)\}|undefined|\/( |$)/);
        expect(next.filter((other) => other.toLowerCase() === line.toLowerCase()), rule).toHaveLength(1);
        // zsh takes brackets and stars outside of quotes for file names, and stops where none matches.
        if (line.startsWith('kubectl ')) expect(unquoted(line), rule).not.toMatch(/[*?[\]()<]/);
        expect(line, rule).not.toMatch(/^kubectl (?:-n \S+ )?describe \S+$|^kubectl .* (?:and \d+ more|\(unread\))/);
      }
    }
  });
});

/** The same of everything that incidents hold, and with each kind refused in turn, where sentences lose their parts. What is quoted has habits of its own. */
describe('the words of findings on incidents', () => {
  it('are whole, whatever may not be read', () => {
    loadCases().forEach((one, index) => {
      const whole = snapshotOf(one);
      const kinds = ['', ...new Set(whole.coverage.map(({ kind }) => kind))];
      const refused = kinds[index % kinds.length];
      for (const { rule, title, expected, conclusion, next } of diagnose(refused ? forbid(whole, refused) : whole, scopeOf(one), { rules, risks: true }).findings) {
        for (const words of [title, expected, conclusion]) expect(words, `${one.id} ${rule}`).not.toMatch(/\(unread\)|undefined|\bNaN\b|\[object|\S {2,}\S/);
        for (const line of next) {
          if (line.startsWith('kubectl ')) expect(unquoted(line), `${one.id} ${rule}`).not.toMatch(/[*?[\]()<]/);
          expect(next.filter((other) => other.toLowerCase() === line.toLowerCase()), `${one.id} ${rule}`).toHaveLength(1);
        }
      }
    });
  }, 60_000);
});
