/** `npm run coverage:knowledge`: what covers each row of the checklist, of the signals and of the traps, and a failure where nothing does. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { exercised } from './exercised.ts';
import { RULES_DIR, files, ruleSet } from './rule-files.ts';

const ROOT = join(import.meta.dirname, '..');

interface Knowledge {
  knowledge: Record<string, { what: string; by?: string[] }>;
  experiments: number;
  signals: { first: number; last: number };
  fields: Record<string, number[]>;
  omitted: Record<string, string>;
}

/** Wrong answers that are easily given (`T`), and what people ask for (`A`). */
interface Traps {
  wrong: number;
  asked: number;
  rows: Record<string, { what: string; by?: string[]; out?: string }>;
}

export interface Row {
  id: string;
  what: string;
  by: string[];
}

const yaml = (path: string): unknown => parse(readFileSync(path, 'utf8'));

export function coverage(): Row[] {
  const known = yaml(join(ROOT, 'tools', 'knowledge.yaml')) as Knowledge;
  const { rules, texts } = ruleSet();
  const by = new Map<string, string[]>();
  const cover = (id: string, place: string): void => void by.set(id, [...(by.get(id) ?? []), place]);
  // A file that is there proves nothing: it has to be tried, and every one that a row names.
  const tried = (id: string, places: readonly string[]): void => {
    const by = places.map(exercised);
    if (by.every((how) => how !== '')) for (const how of by) cover(id, how);
  };
  for (const rule of rules) for (const id of rule.covers) cover(id, `rule ${rule.id} (${rule.file}, with its test)`);
  for (const table of texts) for (const row of table.rows) for (const id of row.covers ?? []) cover(id, `text ${table.family}/${row.class}`);
  for (const [id, { by: places = [] }] of Object.entries(known.knowledge)) tried(id, places);
  const traps = yaml(join(ROOT, 'tools', 'traps.yaml')) as Traps;
  for (const [id, { by: places = [], out }] of Object.entries(traps.rows)) {
    tried(id, places);
    // A reason makes up for no test that is gone.
    if (out !== undefined && places.every((place) => exercised(place) !== '')) cover(id, `left out: ${out}`);
  }
  for (const [place, numbers] of Object.entries(known.fields)) for (const n of numbers) tried(`signal:${n}`, [place]);
  for (const [n, why] of Object.entries(known.omitted)) cover(`signal:${n}`, `left out: ${why}`);
  const { omitted } = yaml(join(RULES_DIR, 'texts', 'omitted.yaml')) as { omitted: { signal: number; why: string }[] };
  for (const { signal, why } of omitted) cover(`signal:${signal}`, `left out: ${why}`);
  const experiments = join(ROOT, 'test', 'cluster', 'experiments');
  for (const file of readdirSync(experiments)) {
    for (const [, ids = ''] of readFileSync(join(experiments, file), 'utf8').matchAll(/\bcovers: \[([^\]]*)\]/g)) {
      for (const [id] of ids.matchAll(/\b[EK]\d+\b/g)) cover(id, `test/cluster/experiments/${file}`);
    }
  }
  const wanted: [string, string][] = [
    ...Object.entries(known.knowledge).map(([id, { what }]): [string, string] => [id, what]),
    ...Array.from({ length: known.experiments }, (_, i): [string, string] => [`E${i + 1}`, 'experiment']),
    ...Array.from({ length: known.signals.last - known.signals.first + 1 }, (_, i): [string, string] => [`signal:${known.signals.first + i}`, 'signal']),
    ...numbered('T', traps.wrong, traps),
    ...numbered('A', traps.asked, traps),
  ];
  return wanted.map(([id, what]) => ({ id, what, by: [...new Set(by.get(id) ?? [])] }));
}

const numbered = (letter: string, count: number, { rows }: Traps): [string, string][] =>
  Array.from({ length: count }, (_, i) => [`${letter}${i + 1}`, rows[`${letter}${i + 1}`]?.what ?? '']);

/** An experiment counts only where it is done for real, and covers nothing else alone. */
export const isHole = ({ id, by }: Row): boolean => !by.some((place) => place.startsWith('test/cluster') === id.startsWith('E'));

if (process.argv[1] === import.meta.filename) {
  const rows = coverage();
  for (const row of rows) console.log(`${row.id.padEnd(11)} ${row.what.padEnd(58)} ${isHole(row) ? 'NOTHING' : row.by.join(', ')}`);
  const holes = rows.filter(isHole);
  console.log(`\n${rows.length} rows, ${files.rules.length} rules, ${holes.length} holes${holes.length > 0 ? `: ${holes.map(({ id }) => id).join(' ')}` : ''}`);
  process.exitCode = holes.length > 0 ? 1 : 0;
}
