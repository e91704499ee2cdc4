import { type Comparison, compareRecordings } from '../engine/compare.ts';
import { diagnose } from '../engine/index.ts';
import type { Finding, Subject } from '../model/finding.ts';
import { visible } from '../render/escape.ts';
import { plural } from '../facts/words.ts';
import { openSource } from '../source/index.ts';
import { type Flags, sourceOptions } from './flags.ts';
import { rulesOf } from './rule-set.ts';
import { print } from './terminal.ts';
import { wantsJson } from './text-or-json.ts';

const DIFFERENT = 1;

/** `diff BEFORE AFTER`: findings and objects that came, went or changed. 0 where nothing did, 1 where something did, as diff. */
export async function diff(before: string, after: string, flags: Flags): Promise<number> {
  const json = wantsJson(flags);
  const rules = await rulesOf(flags);
  const read = async (path: string) => {
    const { snapshot, scope } = await openSource({ ...sourceOptions(flags), from: [path] });
    return { snapshot, report: diagnose(snapshot, scope, { rules }) };
  };
  const [old, now] = [await read(before), await read(after)];
  const comparison = compareRecordings(old, now);
  await print(json ? `${JSON.stringify(comparison, null, 2)}\n` : textOf(comparison));
  const { findings, objects } = comparison;
  const count = [
    findings.gained,
    findings.lost,
    findings.changed,
    objects.added,
    objects.removed,
    objects.replaced,
    objects.changed,
  ].reduce((sum, list) => sum + list.length, 0);
  return count > 0 || comparison.before.verdict !== comparison.after.verdict ? DIFFERENT : 0;
}

const MOST_OBJECTS = 30;

function textOf({ before, after, findings, objects }: Comparison): string {
  const lines = [
    `${before.verdict.toUpperCase()} (${before.name}, ${before.capturedAt}) -> ${after.verdict.toUpperCase()} (${after.name}, ${after.capturedAt})`,
    '',
  ];
  const told = (sign: string, finding: Finding): string =>
    `${sign} ${finding.layer.toUpperCase()}  ${finding.title} (${nameOf(finding.on)})`;
  const causes = [
    ...findings.lost.map((finding) => told('-', finding)),
    ...findings.gained.map((finding) => told('+', finding)),
    ...findings.changed.flatMap((change) => [
      told('~', change.after),
      `    was: ${change.before.title}, ${change.before.role}, ${change.before.certainty}`,
    ]),
  ];
  lines.push(...section('causes', causes, 'the same'));
  const moved = [
    ...objects.removed.map((object) => `- ${nameOf(object)}`),
    ...objects.added.map((object) => `+ ${nameOf(object)}`),
    ...objects.replaced.map((object) => `! ${nameOf(object)} was made anew`),
    ...objects.changed.flatMap(({ object, changes, more }) => [
      `~ ${nameOf(object)}`,
      ...changes.map(({ pointer, item, before: old, after: now }) => `    ${pointer}${item ? ` (${item})` : ''}  ${short(old)} -> ${short(now)}`),
      ...(more > 0 ? [`    and ${more} more`] : []),
    ]),
  ];
  lines.push(
    ...section(
      'objects',
      moved.length > 4 * MOST_OBJECTS
        ? [...moved.slice(0, 4 * MOST_OBJECTS), `and ${moved.length - 4 * MOST_OBJECTS} lines more (-o json has all)`]
        : moved,
      objects.unknown.length > 0 ? 'the same, as far as they can be compared' : 'the same',
    ),
  );
  if (objects.unknown.length > 0) {
    const [first] = objects.unknown;
    lines.push(`${plural(objects.unknown.length, 'object')} cannot be compared: the other side did not read where they would be${first ? ` (${nameOf(first)}, ...)` : ''}.`);
  }
  return `${lines.map(visible).join('\n').trimEnd()}\n`;
}

const section = (title: string, lines: readonly string[], none: string): string[] =>
  lines.length === 0 ? [`${title}: ${none}`, ''] : [title, ...lines.map((line) => `  ${line}`), ''];
const nameOf = ({ kind, namespace, name }: Subject): string => [kind, namespace, name].filter(Boolean).join('/');

function short(value: unknown): string {
  if (value === undefined) return '(not there)';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
