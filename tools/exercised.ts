/** Whether a file that is said to cover a row is really tried: an emptied file, or one that nothing runs, covers nothing. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ruleSet, ruleTest } from './rule-files.ts';

const ROOT = join(import.meta.dirname, '..');

const cache = new Map<string, string>();
const textOf = (place: string): string => {
  const known = cache.get(place);
  if (known !== undefined) return known;
  const path = join(ROOT, place);
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  cache.set(place, text);
  return text;
};

const under = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts')).map((name) => `${folder}/${name}`);

/** Without what is only written about: a name in a comment tries nothing. */
const code = (text: string): string => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');

const importsOf = (place: string): string[] =>
  [...textOf(place).matchAll(/from '(\.[^']+)'/g)].map(([, to = '']) => relative(ROOT, join(ROOT, dirname(place), to)));

const EXPORTS = /^export (?:async )?(?:function|const) \w/m;

/** Tests that hold something and take this file in: a name alone may be that of another file, as `family` is of many. */
const tests = under('test').filter((name) => name.endsWith('.test.ts') && !name.startsWith('test/cluster/'));
const isTest = (text: string): boolean => /\b(?:it|test)(?:\.\w+)*\(/.test(text) && /\bexpect\(/.test(text);
const testFor = (place: string): string | undefined => tests.find((test) => importsOf(test).includes(place) && isTest(code(textOf(test))));

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
  return near.map(ruleReading).find((id) => id !== undefined);
}

function ruleReading(family: string): string | undefined {
  const names = [...textOf(family).matchAll(/\bname: '(\w+)',\s*(?:kinds|args):/g)].map(([, name = '']) => name);
  return ruleSet().rules.find((rule) => {
    const said = textOf(`rules/${rule.file}`);
    return (ruleTest(rule.file)?.cases ?? []).length > 0 && names.some((name) => new RegExp(`\\b${name}[.(]`).test(said));
  })?.id;
}

/**
 * `file`, or `file#words`: a test or a page that must hold those words. What tries it, in words; '' where nothing does.
 * A source file is tried where a test imports it, or a tested rule reads facts that rest on it.
 */
export function exercised(place: string): string {
  const [file = '', words = ''] = place.split('#');
  const text = textOf(file);
  if (words !== '' && !text.includes(words)) return '';
  if (file.endsWith('.test.ts')) return isTest(code(text)) ? file : '';
  if (!file.startsWith('src/')) return words === '' ? '' : place;
  if (!EXPORTS.test(code(text))) return '';
  const test = testFor(file);
  if (test) return `${file} (${test})`;
  const rule = ruleFor(file);
  return rule ? `${file} (rule ${rule})` : '';
}
