/** `rules/README.md`: the catalogue and the vocabulary, from the rule files, text tables and fact tables. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FAMILIES } from '../src/facts/index.ts';
import { LAYERS, STAGES } from '../src/model/layer.ts';
import { RULES_DIR, ruleSet } from './rule-files.ts';

export const REFERENCE = join(RULES_DIR, 'README.md');

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ').trim();
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');

export function reference(): string {
  const { rules, texts } = ruleSet();
  const layer = (rule: { file: string }): string => rule.file.split('/')[0] ?? '';
  const catalogue = LAYERS.filter((each) => rules.some((rule) => layer(rule) === each)).map(
    (each) =>
      `### ${each}\n\n${table(
        ['rule', 'finds', 'on', 'at', 'covers'],
        rules
          .filter((rule) => layer(rule) === each)
          .map((rule) => [`[${rule.id}](${rule.file})`, rule.title, rule.kind.join(' '), rule.at.join(' '), rule.covers.join(' ')]),
      )}`,
  );
  const families = FAMILIES.map((family) => {
    const parts = [`### ${family.name}\n\n${family.doc}`];
    if (family.variables?.length)
      parts.push(
        table(
          ['variable', 'on', 'type', 'meaning'],
          family.variables.map((each) => [`\`${each.name}\``, each.kinds.join(' '), `\`${each.type}\``, each.doc]),
        ),
      );
    for (const [name, fields] of Object.entries(family.types ?? {})) {
      parts.push(
        `**${name}**\n\n${table(
          ['field', 'type', 'meaning'],
          Object.entries(fields).map(([field, doc]) => [
            `\`${field}\``,
            `\`${doc.type}\``,
            doc.oneOf ? `${doc.doc} (one of ${doc.oneOf.map((value) => (value === '' ? "''" : value)).join(' ')})` : doc.doc,
          ]),
        )}`,
      );
    }
    if (family.functions?.length)
      parts.push(
        table(
          ['function', 'gives', 'meaning'],
          family.functions.map((fn) => [`\`${fn.name}(${fn.args.map((arg) => `${arg.name}: ${arg.type}`).join(', ')})\``, `\`${fn.returns}\``, fn.doc]),
        ),
      );
    return parts.join('\n\n');
  });
  const tables = [...texts]
    .sort((a, b) => (a.family < b.family ? -1 : 1))
    .map((each) => [`[${each.family}](texts/${each.family}.yaml)`, each.doc, String(each.rows.length)]);
  return [
    '# Rules\n\nMade by `npm run reference` from the rule files, the text tables and the fact tables; edit those.',
    `${rules.length} rules, ${texts.reduce((sum, each) => sum + each.rows.length, 0)} texts. Rungs of the ladder: ${STAGES.join(' ')}.`,
    '## Catalogue',
    ...catalogue,
    '## Text tables',
    table(['family', 'what it reads', 'rows'], tables),
    '## What a rule may use',
    "Every rule also has `object`, `kind`, `ns`, `name`, `born` (when it was made, or ''), and `hint(x)`: null instead of unknown, with the gap noted.",
    ...families,
  ]
    .join('\n\n')
    .concat('\n');
}

if (process.argv[1] === import.meta.filename) {
  const text = reference();
  const before = readFileSync(REFERENCE, { encoding: 'utf8', flag: 'a+' });
  if (before !== text) writeFileSync(REFERENCE, text);
}
