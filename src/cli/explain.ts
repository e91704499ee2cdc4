import { loadRules } from '../engine/load.ts';
import { readSchedulingMessage } from '../facts/scheduling/message.ts';
import { classifier } from '../facts/texts.ts';
import { UserError } from '../model/errors.ts';
import type { Layer, Permanence } from '../model/layer.ts';
import { EXIT } from '../model/report.ts';
import type { Text } from '../model/text.ts';
import { renderSheet } from '../render/sheet.ts';
import { bareIn, withoutBare } from './explain-bare.ts';
import { familiesFor, speakerOf, type Writer, writerOf } from './explain-speaker.ts';
import { type Open, statusIn } from './explain-status.ts';
import type { Flags } from './flags.ts';
import { print, styleOf } from './terminal.ts';
import { documentOf, wantsJson } from './text-or-json.ts';

/** kubectl wait, kubectl rollout status, helm --wait: the words of whoever waited, whatever it waited for. */
const GAVE_UP =
  /^(?:\* |[Ee]rror: )?(?:(?:(?:UPGRADE|INSTALLATION|ROLLBACK) FAILED: [^"]*?)?(?:timed out waiting for the condition|context deadline exceeded)\s*|timed out waiting for the condition.*|deployment "[^"]+" exceeded its progress deadline)$/;

const PASSES: Record<Permanence, string> = {
  permanent: 'not by itself',
  corroborated: 'seldom by itself',
  transient: 'often by itself',
  capacity: 'once there is room',
  waiting: 'by itself',
};

/** Rows for what nothing else knows of a family; without a speaker nobody can tell the family. */
const VAGUE: ReadonlySet<string> = new Set(['mounts/driver', 'provisioning/driver', 'provisioning/infeasible', 'provisioning/parameters']);

/** A write that came second: it goes through when it is made again, and who does that depends on who made it. */
const RACES: ReadonlySet<string> = new Set(['api-refusals/conflict', 'api-refusals/uid-precondition']);
const AGAIN: Record<Writer, string> = {
  command: 'not by itself: the command has ended; run again, it reads the newer version',
  controller: 'by itself: a controller reads the newer version and writes again; where that goes on for minutes, two writers fight over the object',
  unknown: 'by itself where a controller wrote it; where a command printed it, that has ended and must be run again',
};

const passes = ({ family, class: name, permanence }: Text, given: string): string =>
  RACES.has(`${family}/${name}`) ? AGAIN[writerOf(given)] : permanence ? PASSES[permanence] : '';

/** `explain [TEXT...]`: which layer wrote an error text, what it means, what to do. Without words, or for `-`, it is read from stdin. */
export async function explain(words: string[], flags: Flags): Promise<number> {
  const json = wantsJson(flags, 'an explanation');
  const read = words.length === 0 || (words.length === 1 && words[0] === '-');
  const given = (read ? await readStdin() : words.join(' ')).trim();
  if (given === '') throw new UserError('There is no text to explain.', 'Paste it: kubectl apply -f x.yaml 2>&1 | kubectl strata explain');
  const explained = explanationOf(given);
  const { layer, says, text, behind, also, ...rest } = explained;
  const lines: [string, string[]][] = [
    ['text', [text]],
    ['class', [rest.class]],
    ['passes', [rest.passes]],
    ['means', [rest.means]],
    ['behind it', behind.map((each) => (each.layer ? `${each.layer}: ${each.what}` : each.what))],
    ['next', [rest.next]],
    ['also', also.map((each) => `${each.layer}: ${each.says}`)],
  ];
  await print(json ? documentOf('Explanation', explained) : renderSheet(layer ? `${layer.toUpperCase()}  ${says}` : says, lines, styleOf(flags)));
  return layer ? EXIT.healthy : EXIT.inconclusive;
}

/** What is known of a text; '' and an empty list stand for nothing. */
export interface Explanation {
  layer: Layer | '';
  /** One sentence. */
  says: string;
  /** The innermost words that were recognised, or the text as it was given. */
  text: string;
  /** FAMILY/CLASS of the row that knows it. */
  class: string;
  /** Whether and when it passes by itself. */
  passes: string;
  /** What a status says that names no layer, and what may be behind it. */
  means: string;
  behind: { layer: Layer | ''; what: string }[];
  /** A command, or what to look at. */
  next: string;
  /** What its other lines tell of, each an error of its own. */
  also: { layer: Layer | ''; says: string }[];
}

export function explanationOf(given: string): Explanation {
  const message = messageIn(given);
  const pieces = piecesOf(message);
  const text = recognise(pieces);
  if (text)
    return {
      layer: text.layer,
      says: text.says,
      text: text.inner,
      class: `${text.family}/${text.class}`,
      passes: passes(text, given),
      means: '',
      behind: predicatesIn(text),
      next: filled(text.next),
      also: othersIn(message, text),
    };
  const unknown: Explanation = { layer: '', says: NOT_KNOWN, text: given, class: '', passes: '', means: '', behind: [], next: '', also: [] };
  if (pieces.some((piece) => GAVE_UP.test(piece))) return { ...unknown, says: GIVEN_UP, next: named('kubectl strata -n NAMESPACE TYPE/NAME', given) };
  const open = openIn(pieces);
  if (!open) return unknown;
  return { ...unknown, says: headingOf(open), means: open.means, behind: open.behind.map(([layer, what]) => ({ layer, what })), next: named(open.next, given) };
}

/** `kubectl apply` of several documents prints an error for each; so do events. */
function othersIn(message: string, first: Text): Explanation['also'] {
  const others = errorsIn(message)
    .flatMap((line) => recognise([line]) ?? [])
    .filter(({ says }) => says !== first.says)
    .map(({ layer, says }) => ({ layer, says }));
  return [...new Map(others.map((each) => [each.says, each])).values()];
}

/** Of the scheduler's sentence about all nodes: what it says of how many, each with its own meaning. */
function predicatesIn({ family, class: name, inner }: Text): Explanation['behind'] {
  if (family !== 'scheduling' || name !== 'no-node-fits') return [];
  const { total, predicates, sum } = readSchedulingMessage({ classify: classifier(loadRules().texts) }, inner);
  const said = predicates.map(({ n, says, reason, layer, class: known }) => ({ layer, what: `${n} of ${total}: ${known === 'unknown' ? reason : says}` }));
  const what = UNSUMMED[sum.is]?.(sum.told, total);
  return what === undefined || said.length === 0 ? said : [...said, { layer: '' as const, what }];
}

const UNSUMMED: Record<string, (told: number, total: number) => string> = {
  short: (told, total) => `these counts make ${told} of ${total} nodes: the text is cut, or another scheduler wrote it`,
  over: (told, total) => `these counts make ${told} of ${total} nodes: some are counted with more than one fault, as old schedulers do`,
};

const GIVEN_UP = 'Somebody gave up waiting; what held it back is not in this text';
const NOT_KNOWN = 'This text is not known: no layer can be named by it alone';
const headingOf = ({ words }: Open): string => `${words === '' ? 'This text' : `"${words}"`} names no layer by itself`;

// `kubectl describe` and `kubectl events` put type, reason, age and source in front of a message, two spaces apart.
const COLUMNS = /^(?:\S+(?: \(x[^)]*\))?\s{2,})?(?:Normal|Warning)\s{2,}\S+\s{2,}\S.*?\s{2,}(?:[\w-]+(?:, \S+)?\s{2,})?/;

// What kubectl prints of every object that went through.
const DONE = /^\S+\/\S+ (?:created|configured|unchanged|serverside-applied|patched|replaced|deleted|scaled|restarted|labeled|annotated)(?: \([\w ]+\))?$/;

// A row of events that tells of what went well, or of what was begun.
const WENT_WELL = /^(?:\S+(?: \(x[^)]*\))?\s{2,})?Normal\s{2,}/;

/**
 * Lines that begin as an error does, rows of events that warn, the text as a whole, then its other lines: what explains it may stand in any.
 * Rows are each an author's own sentence: together they are none.
 */
export function piecesOf(message: string): string[] {
  const lines = linesOf(message);
  const { errors, warned } = rowsIn(lines);
  const whole = warned.length > 0 ? [] : [lines.join('\n')];
  const rest = warned.length > 0 ? lines.filter((line) => !WENT_WELL.test(line)) : lines;
  return [...new Set([...errors, ...warned, ...whole, ...rest])].map(withoutColumns).filter((piece) => piece !== '');
}

const linesOf = (message: string): string[] =>
  message
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !DONE.test(line));

function rowsIn(lines: readonly string[]): { errors: string[]; warned: string[] } {
  if (lines.length < 2) return { errors: [], warned: [] };
  return {
    errors: lines.filter((line) => /^(?:Error from server|[Ee]rror: )/.test(line)),
    warned: lines.filter((line) => COLUMNS.test(line) && !WENT_WELL.test(line)),
  };
}

const withoutColumns = (line: string): string => line.replace(COLUMNS, '');

/** Its lines that are each somebody's error. */
function errorsIn(message: string): string[] {
  const { errors, warned } = rowsIn(linesOf(message));
  return [...errors, ...warned].map(withoutColumns);
}

/** The first piece that a table knows. */
export function recognise(pieces: readonly string[]): Text | null {
  const { texts } = loadRules();
  const classify = classifier(texts);
  const all = texts.map(({ family }) => family);
  for (const piece of pieces) {
    if (GAVE_UP.test(piece) || statusIn(piece)) continue;
    for (const family of familiesFor(piece, all)) {
      const text = classify(family, piece);
      if (text.class === 'unknown') continue;
      // Each driver, runtime and plugin speaks so: the row names one of them only behind words of who passes it on.
      if (VAGUE.has(`${text.family}/${text.class}`) && !speakerOf(piece)) break;
      // Nobody is known to speak, and the row was reached by words alone that everybody uses.
      const left = speakerOf(piece) ? piece : withoutBare(piece);
      if (left === piece || classify(family, left).class === text.class) return text;
      break;
    }
  }
  return null;
}

const WAITS = /BackOff$|^(?:Pending|Running|Waiting|ContainerCreating|PodInitializing|Error)$/;

/** A status, or a sentence of everybody, where no table knows a piece. */
export function openIn(pieces: readonly string[]): Open | null {
  const states = pieces.map(statusIn).filter((open) => open !== null);
  // In a description the wait stands above what it waits for.
  return states.find(({ words }) => !WAITS.test(words)) ?? states[0] ?? pieces.map(bareIn).find((open) => open !== null) ?? null;
}

/** With the names that the text itself tells: kubelets write `pod NAME_NAMESPACE(UID)`, kubectl `deployment "NAME"` and `deployments/NAME`. */
function named(next: string, given: string): string {
  const [, pod, space] = /\bpod "?([a-z0-9][a-z0-9.-]*)_([a-z0-9][a-z0-9-]*)\(/.exec(given) ?? [];
  if (pod && space) return next.replace('NAMESPACE', space).replace(/\b(?:pod|TYPE)\/NAME\b/, `pod/${pod}`);
  const [, kind, quoted, plain] =
    /\b(deployment|statefulset|daemonset|job)s?(?:\.(?:apps|batch))?(?: "([a-z0-9][a-z0-9.-]*)"|\/([a-z0-9][a-z0-9.-]*))/.exec(given) ?? [];
  return kind ? next.replace('TYPE/NAME', `${kind}/${quoted ?? plain}`) : next;
}

/** A command with the words to be put in as kubectl's help writes them: NAMESPACE for {ns}. */
const filled = (next: string): string => next.replace(/\{(?!end\})([a-z]+)\}/g, (_, name: string) => (name === 'ns' ? 'NAMESPACE' : name.toUpperCase()));

/** The message of a Status object (`kubectl get --raw`, an audit line), what a log line in JSON says (zap, logrus, slog), or the text as it is. */
export function messageIn(text: string): string {
  try {
    const { message, error, err, msg } = JSON.parse(text) as Record<string, unknown>;
    const said = [message, error, err, msg].filter((each) => typeof each === 'string' && each !== '');
    return said.length > 0 ? said.join('\n') : text;
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
