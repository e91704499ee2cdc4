import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { classifier, type Classify } from '../../src/facts/texts.ts';
import { createWorld, type World } from '../../src/facts/world.ts';
import type { TextTable } from '../../src/model/text.ts';
import { type SnapshotOptions, snapshotOf } from '../build.ts';

const folder = new URL('../../rules/texts/', import.meta.url);

/** The text tables that ship, from their sources. */
export const tables: readonly TextTable[] = readdirSync(folder)
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => parse(readFileSync(new URL(file, folder), 'utf8')) as Partial<TextTable>)
  .filter((table): table is TextTable => Array.isArray(table.rows));

export const classify: Classify = classifier(tables);

/** A world of these objects that reads messages by the tables that ship. */
export const worldWith = (objects: Parameters<typeof snapshotOf>[0], options: SnapshotOptions = {}): World =>
  createWorld(snapshotOf(objects, options), classify);
