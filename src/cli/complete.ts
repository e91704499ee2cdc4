import { LAYERS } from '../model/layer.ts';
import { FORMATS } from '../render/index.ts';
import { namesFor, namespacesOf, typesFor } from './complete-names.ts';
import { print } from './terminal.ts';

/** A command as completion sees it: built by the program from its own definition. */
export interface Spelling {
  name: string;
  description: string;
  commands: Spelling[];
  /** Long and short names; `takes` where a value follows. */
  flags: { names: string[]; takes: boolean; description: string }[];
}

// cobra's ShellCompDirective, which kubectl reads on the last line: 2 no space after it, 4 no file names, 0 file names, 16 folders.
const NO_SPACE = 2;
const NO_FILES = 4;
const FILES = 0;
const FOLDERS = 16;

interface Answer {
  all: readonly string[];
  directive: number;
}

/** The command line before the last word. */
export interface Before {
  /** `rules show`; '' for the diagnosis. */
  path: string;
  operands: string[];
  /** Values of the flags that take one, by their long name. */
  values: Map<string, string[]>;
}

/** `__complete WORD...`: one possible end of the last word a line, then `:DIRECTIVE`. Asks no cluster; of recordings it knows what they hold. */
export async function complete(words: string[], program: Spelling): Promise<number> {
  const last = words.at(-1) === '=' ? '' : (words.at(-1) ?? '');
  const { command, before, open } = walk(words.slice(0, -1), program);
  const [, joined, typed = ''] = /^(--[\w-]+)=(.*)$/s.exec(last) ?? [];
  const flag = open ?? (joined ? command.flags.find(({ names, takes }) => takes && names.includes(joined)) : undefined);
  if (flag) return answer(await valuesOf(flag.names.at(-1) ?? '', before), joined && !open ? typed : last);
  if (last.startsWith('-')) return answer({ all: command.flags.map(({ names, description }) => `${names.at(-1)}\t${description}`), directive: NO_FILES }, last);
  const inner = before.operands.length === 0 ? command.commands.map(({ name, description }) => `${name}\t${description}`) : [];
  const { all, directive } = await operandsOf(last, before);
  return answer({ all: [...inner, ...all], directive }, last);
}

/** Which command the words before lead to, what stands on them, and the flag that still waits for its value. */
function walk(words: readonly string[], program: Spelling): { command: Spelling; before: Before; open?: Spelling['flags'][number] | undefined } {
  let command = program;
  const path: string[] = [];
  const before: Before = { path: '', operands: [], values: new Map() };
  let open: Spelling['flags'][number] | undefined;
  for (const word of words) {
    const keep = ({ names }: Spelling['flags'][number], value: string): unknown =>
      before.values.set(names.at(-1) ?? '', [...(before.values.get(names.at(-1) ?? '') ?? []), value]);
    // bash takes `--output=json` apart into three words.
    if (open && word === '=') continue;
    if (open) {
      keep(open, word);
      open = undefined;
      continue;
    }
    if (word.startsWith('-') && word !== '-') {
      const [name = '', value] = word.startsWith('--') && word.includes('=') ? [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)] : [word];
      const flag = command.flags.find(({ names, takes }) => takes && names.includes(name));
      if (flag && value !== undefined) keep(flag, value);
      else open = flag;
      continue;
    }
    const inner = before.operands.length === 0 ? command.commands.find(({ name }) => name === word) : undefined;
    if (inner) {
      command = inner;
      path.push(word);
    } else before.operands.push(word);
  }
  return { command, before: { ...before, path: path.join(' ') }, open };
}

const EITHER = ['text', 'json'];
const FORMATS_OF: Record<string, readonly string[]> = {
  access: ['text', 'json', 'yaml'],
  trace: EITHER,
  diff: EITHER,
  explain: EITHER,
  rules: EITHER,
  'rules list': EITHER,
  'rules show': EITHER,
};
/** Commands whose --output is a new folder, and whose operands are recordings. */
const TO_FOLDER = new Set(['record', 'minimize', 'redact']);
const OF_FILES = new Set(['minimize', 'redact', 'diff']);
const OF_OBJECTS = new Set(['', 'gate', 'record', 'trace']);
const SHELLS = ['bash', 'zsh', 'fish'];

async function valuesOf(flag: string, before: Before): Promise<Answer> {
  switch (flag) {
    case '--from':
    case '--kubeconfig':
    case '--certificate-authority':
    case '--filename':
      return { all: [], directive: FILES };
    case '--rules':
    case '--record':
      return { all: [], directive: FOLDERS };
    case '--output':
      return TO_FOLDER.has(before.path) ? { all: [], directive: FOLDERS } : { all: FORMATS_OF[before.path] ?? FORMATS, directive: NO_FILES };
    case '--namespace':
      return { all: await namespacesOf(before), directive: NO_FILES };
    case '--watch':
      return { all: ['true', 'false'], directive: NO_FILES };
    case '--for':
    case '--fail-for':
      return { all: ['condition=', 'jsonpath=', 'cel='], directive: NO_FILES };
    default:
      return { all: [], directive: NO_FILES };
  }
}

async function operandsOf(word: string, before: Before): Promise<Answer> {
  const { path, operands } = before;
  if (OF_FILES.has(path)) return { all: [], directive: FILES };
  if (path === 'completion') return { all: operands.length === 0 ? SHELLS : [], directive: NO_FILES };
  if (path === 'rules list') return { all: operands.length === 0 ? [...LAYERS] : [], directive: NO_FILES };
  if (path === 'rules show') return { all: operands.length === 0 ? await rulesWith(before) : [], directive: NO_FILES };
  if (path === 'rules test') return { all: [], directive: FOLDERS };
  if (!OF_OBJECTS.has(path)) return { all: [], directive: NO_FILES };
  const names = await namesFor(word, before);
  return { all: names ?? (await typesFor(before)), directive: NO_FILES };
}

async function rulesWith({ values }: Before): Promise<string[]> {
  const { rulesOf } = await import('./rule-set.ts');
  return rulesOf({ rules: values.get('--rules') ?? [] }).then(
    ({ rules }) => rules.map(({ id, title }) => `${id}\t${title}`),
    () => [],
  );
}

async function answer({ all, directive }: Answer, word: string): Promise<number> {
  const found = all.filter((one) => one.startsWith(word));
  // `deployment/` waits for its name, `condition=` for its value.
  const open = found.length > 0 && found.every((one) => /[/=]$/.test(one));
  await print([...found, `:${open ? directive | NO_SPACE : directive}`, ''].join('\n'));
  return 0;
}
