import { loadRules } from '../engine/load.ts';
import { classifier } from '../facts/texts.ts';
import { UserError } from '../model/errors.ts';
import { EXIT } from '../model/report.ts';
import type { Text } from '../model/text.ts';
import { renderSheet } from '../render/sheet.ts';
import type { Flags } from './flags.ts';
import { print, styleOf } from './terminal.ts';

/** Refusals and connections are what people paste; the other tables follow in their own order. */
const FIRST = ['api-refusals', 'connections'];

/** `explain [TEXT...]`: which layer wrote an error text, what it means, what to do. Without words it is read from stdin. */
export async function explain(words: string[], flags: Flags): Promise<number> {
  const given = (words.length > 0 ? words.join(' ') : await readStdin()).trim();
  if (given === '') throw new UserError('There is no text to explain.', 'Paste it: kubectl apply -f x.yaml 2>&1 | kubectl strata explain');
  const text = recognise(messageIn(given));
  const title = text ? `${text.layer.toUpperCase()}  ${text.says}` : 'This text is not known: no layer can be named by it alone';
  const known: [string, string[]][] = text ? [['class', [`${text.family}/${text.class}`]], ['permanence', [text.permanence]], ['next', [text.next]]] : [];
  await print(renderSheet(title, [['text', [text?.inner ?? given]], ...known], styleOf(flags)));
  return text ? EXIT.healthy : EXIT.inconclusive;
}

function recognise(message: string): Text | null {
  const { texts } = loadRules();
  const classify = classifier(texts);
  const families = [...FIRST.filter((family) => texts.some((table) => table.family === family)), ...texts.map(({ family }) => family).filter((family) => !FIRST.includes(family))];
  const pieces = [message, ...message.split('\n').map((line) => line.trim())].filter((piece) => piece !== '');
  for (const piece of pieces) {
    for (const family of families) {
      const text = classify(family, piece);
      if (text.class !== 'unknown') return text;
    }
  }
  return null;
}

/** The message of a Status object (`kubectl get --raw`, an audit line), or the text as it is. */
function messageIn(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === 'string' ? message : text;
  } catch {
    return text;
  }
}

async function readStdin(): Promise<string> {
  if (process.stdin.isTTY) process.stderr.write('Paste the error and end it with Ctrl-D:\n');
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk;
  return text;
}
