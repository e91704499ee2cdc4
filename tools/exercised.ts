/** Whether a file that is said to cover a row is really tried: an emptied file, or one that nothing runs, covers nothing. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ruleSet, ruleTest } from './rule-files.ts';

const ROOT = join(import.meta.dirname, '..');

/** Each file is looked through once, however many rows ask. */
function once<T>(of: (key: string) => T): (key: string) => T {
  const known = new Map<string, T>();
  return (key) => {
    if (!known.has(key)) known.set(key, of(key));
    return known.get(key) as T;
  };
}

const textOf = once((place) => {
  const path = join(ROOT, place);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
});

const under = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`);

/** Without what is only written about: a name in a comment tries nothing. */
const code = (text: string): string => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');

const importsOf = once((place) => [...textOf(place).matchAll(/from '(\.[^']+)'/g)].map(([, to = '']) => relative(ROOT, join(ROOT, dirname(place), to))));

const EXPORTS = /^export (?:async )?(?:function|const) \w/m;

/** Tests that hold something and take this file in: a name alone may be that of another file, as `family` is of many. */
const tests = under('test').filter((name) => name.endsWith('.test.ts') && !name.startsWith('test/cluster/'));
const isTest = (text: string): boolean => /\b(?:it|test)(?:\.\w+)*\(/.test(text) && /\bexpect\(/.test(text);
const testing = once((test) => isTest(code(textOf(test))));
const testFor = (place: string): string | undefined => tests.find((test) => importsOf(test).includes(place) && testing(test));

/** The rules with a test that read a variable of a family which rests on this file. */
const families = under('src/facts').filter((place) => /\bvariables: \[|\bfunctions: \[/.test(textOf(place)));

function reach(from: string, seen = new Set<string>()): Set<string> {
  if (seen.has(from) || !from.startsWith('src/facts/')) return seen;
  seen.add(from);
  for (const next of importsOf(from)) reach(next, seen);
  return seen;
}

const reached = new Map(families.map((place) => [place, reach(place)] as const));

function ruleFor(place: string): string | undefined {
  const near = families.filter((family) => reached.get(family)?.has(place)).sort((a, b) => (reached.get(a)?.size ?? 0) - (reached.get(b)?.size ?? 0));
  return near.map(readBy).find((id) => id !== undefined);
}

const casesOf = once((file) => ruleTest(file)?.cases ?? []);

function ruleReading(family: string): string | undefined {
  const names = [...textOf(family).matchAll(/\bname: '(\w+)',\s*(?:kinds|args):/g)].map(([, name = '']) => name);
  return ruleSet().rules.find((rule) => {
    const said = textOf(`rules/${rule.file}`);
    return casesOf(rule.file).length > 0 && names.some((name) => new RegExp(`\\b${name}[.(]`).test(said));
  })?.id;
}

/** Cases that are not right yet are known, and show nothing. */
const open = new Set(textOf('test/cases/open.txt').split('\n').filter(Boolean));
const isRight = (file: string): boolean => {
  const [, id = ''] = /^id: (\S+)$/m.exec(textOf(file)) ?? [];
  return file.endsWith(`/${id}.yaml`) && !open.has(id);
};

/** A test that is left out or yet to be written tries nothing. */
const LEFT_OUT = /\.(?:skip|todo|fails)(?:If)?\(/;
const holds = (text: string, words: string): boolean =>
  code(text)
    .split('\n')
    .some((line) => line.includes(words) && !LEFT_OUT.test(line));

const readBy = once(ruleReading);

/**
 * What tries it, in words; '' where nothing does. `file`, or `file#words`: a test or a page that must hold those words, or a rule's test
 * with a case of that name. A source file is tried where a test imports it, or a tested rule reads facts that rest on it; a case where
 * it is right; the folder of a recording where it says what must be found.
 */
export function exercised(place: string): string {
  const [file = '', words = ''] = place.split('#');
  if (/^test\/cases\/.+\.yaml$/.test(file)) return words === '' && isRight(file) ? file : '';
  if (/^fixtures\/[^/]+$/.test(file)) return /^verdict: /m.test(textOf(`${file}/expected.yaml`)) ? file : '';
  const tested = /^rules\/(.+)\.test\.yaml$/.exec(file)?.[1];
  if (tested !== undefined) return casesOf(`${tested}.yaml`).some(({ name }) => name.includes(words)) ? place : '';
  const text = textOf(file);
  if (words !== '' && file.endsWith('.test.ts') && !holds(text, words)) return '';
  if (words !== '' && !text.includes(words)) return '';
  if (file.endsWith('.test.ts')) return testing(file) ? place : '';
  if (!file.startsWith('src/')) return words === '' ? '' : place;
  if (!EXPORTS.test(code(text))) return '';
  const test = testFor(file);
  if (test) return `${file} (${test})`;
  const rule = ruleFor(file);
  return rule ? `${file} (rule ${rule})` : '';
}
