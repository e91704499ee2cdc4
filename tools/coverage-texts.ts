/**
 * Which sentences of a signal catalogue no text table covers:
 *   node --import tsx tools/coverage-texts.ts signals.tsv
 * The catalogue is a TSV with a header and the columns layer, kind, where, reason, message_regex; a row is named by its
 * line number (`signal:12`), as `covers` names it. Rows without a text are states and belong to facts. Exits with 1 when rows are left.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { TextTable } from '../src/model/text.ts';
import { files } from './rule-files.ts';

export interface Omission {
  signal: number;
  why: string;
}

const OMITTED = join(import.meta.dirname, '..', 'rules', 'texts', 'omitted.yaml');

export const omissions = (): Omission[] => (existsSync(OMITTED) ? (parse(readFileSync(OMITTED, 'utf8')) as { omitted: Omission[] }).omitted : []);

/** The catalogue lines that a table's rows say they cover. */
export function coveredLines(tables: readonly TextTable[]): Set<number> {
  const covers = tables.flatMap((table) => table.rows.flatMap((row) => row.covers ?? []));
  return new Set(covers.flatMap((each) => /^signal:(\d+)$/.exec(each)?.[1] ?? []).map(Number));
}

function main(catalogue: string): void {
  const covered = coveredLines(files.texts as TextTable[]);
  const omitted = new Map(omissions().map(({ signal, why }) => [signal, why]));
  const lines = readFileSync(catalogue, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line, index) => ({ number: index + 1, cells: line.split('\t') }))
    .slice(1);
  const texts = lines.filter(({ cells }) => cells[4] !== '');
  const left = texts.filter(({ number }) => !covered.has(number) && !omitted.has(number));
  const both = texts.filter(({ number }) => covered.has(number) && omitted.has(number));
  for (const { number, cells } of left) console.log(`uncovered  signal:${number}\t${cells.slice(0, 5).join(' | ')}`);
  for (const { number } of both) console.log(`both       signal:${number} is covered and omitted`);
  console.log(
    `${texts.length} sentences: ${texts.filter(({ number }) => covered.has(number)).length} covered, ${texts.filter(({ number }) => omitted.has(number)).length} omitted, ${left.length} left`,
  );
  process.exitCode = left.length + both.length > 0 ? 1 : 0;
}

if (process.argv[1] === import.meta.filename) {
  const [catalogue] = process.argv.slice(2);
  if (catalogue === undefined) throw new Error('usage: tools/coverage-texts.ts CATALOGUE.tsv');
  main(catalogue);
}
