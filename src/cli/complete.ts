import { LAYERS } from '../model/layer.ts';
import { RESOURCES } from '../model/resources.ts';
import { FORMATS } from '../render/index.ts';
import { print } from './terminal.ts';

/** A command as completion sees it: built by the program from its own definition. */
export interface Spelling {
  commands: { name: string; description: string }[];
  /** Long and short names; `takes` where a value follows. */
  flags: { names: string[]; takes: boolean; description: string }[];
}

// cobra's ShellCompDirective, which kubectl reads on the last line: 2 no space after it, 4 no file names, 0 file names.
const NO_SPACE = 2;
const NO_FILES = 4;
const FILES = 0;

const ACCESS_FORMATS = ['text', 'json', 'yaml'];

const FILE_FLAGS = new Set(['--from', '--kubeconfig', '--certificate-authority', '--rules']);

/** `__complete WORD...`: one possible end of the last word a line, then `:DIRECTIVE`. Asks no cluster. */
export async function complete(words: string[], spelling: Spelling): Promise<number> {
  const word = words.at(-1) ?? '';
  const before = words.at(-2) ?? '';
  const flag = spelling.flags.find(({ names, takes }) => takes && names.includes(before));
  const formats = words.includes('access') ? ACCESS_FORMATS : FORMATS;
  if (flag) return answer(flag.names.includes('--output') ? formats : [], flag.names.some((name) => FILE_FLAGS.has(name)) ? FILES : NO_FILES, word);
  if (word.startsWith('-')) {
    return answer(spelling.flags.map(({ names, description }) => `${names.at(-1)}\t${description}`), NO_FILES, word);
  }
  if (before === 'list' && words.includes('rules')) return answer([...LAYERS], NO_FILES, word);
  const operands = words.slice(0, -1).filter((one) => !one.startsWith('-'));
  const commands = operands.length === 0 ? spelling.commands.map(({ name, description }) => `${name}\t${description}`) : [];
  const types = RESOURCES.map(({ kind }) => `${kind.toLowerCase()}/`);
  return answer([...commands, ...types], NO_FILES, word);
}

async function answer(all: readonly string[], directive: number, word: string): Promise<number> {
  const found = all.filter((one) => one.startsWith(word));
  // `deployment/` waits for its name.
  const open = found.length > 0 && found.every((one) => one.endsWith('/'));
  await print([...found, `:${open ? directive | NO_SPACE : directive}`, ''].join('\n'));
  return 0;
}
