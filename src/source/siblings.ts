import type { KubeObject } from '../model/kinds.ts';
import { conform } from './conform.ts';
import { MOUNTS } from './shapes.ts';
import { type Fields, isFields } from '../model/fields.ts';

/**
 * The pods of one owner have the same containers, but for the names of their mounts (`kube-api-access-x7k2p`), and nearly all of a pod
 * is containers. What came in before and was let through as it was need not be looked through again where it says exactly the same:
 * every name, every value, in the same order. Nothing else is a reason to let it pass.
 */
export interface Siblings {
  /**
   * Whether the pod's containers are those of the pod before it; then they hold its parts in place of their own, and only what is beside
   * `containers` and `initContainers` has to be checked and redacted.
   */
  alike(pod: KubeObject): boolean;
  /**
   * Takes a pod that was looked through in full, as it is now: a text that had to be taken out can never be one that is let through.
   * `unchanged`: nothing was taken out, else its siblings will differ again.
   */
  keep(pod: KubeObject, unchanged: boolean): void;
}

/** A value as one row: a mark for what opens or ends, names and plain values between them. */
type Tape = unknown[];
const [OBJECT, LIST, END] = [Symbol('object'), Symbol('list'), Symbol('end')];

const PARTS = ['containers', 'initContainers'] as const;
/** The one field that differs; it holds no text that could be a secret, and is checked by itself. */
const OWN = 'volumeMounts';
const MOST_MARKS = 20_000;
const MOST_NESTED = 100;

/** `typed`: the types are right, as in `Door`. */
export function createSiblings(typed: boolean): Siblings {
  let owner = '';
  let twin: { tape: Tape; parts: (readonly unknown[] | undefined)[] } | null = null;

  return {
    alike(pod) {
      if (twin === null || ownerOf(pod) !== owner) return false;
      const spec = pod['spec'];
      if (!isFields(spec)) return false;
      let at = 0;
      for (const part of PARTS) {
        at = matchContainers(spec[part], twin.tape, at, typed);
        if (at < 0) return false;
      }
      for (let i = 0; i < PARTS.length; i++) share(spec[PARTS[i] as string], twin.parts[i]);
      return true;
    },
    keep(pod, unchanged) {
      const of = ownerOf(pod);
      const second = of === owner;
      owner = of;
      twin = null;
      // Of an only child nothing is kept.
      if (!second || of === '' || !unchanged) return;
      const spec = pod['spec'];
      if (!isFields(spec)) return;
      const tape: Tape = [];
      if (PARTS.every((part) => writeContainers(spec[part], tape)))
        twin = { tape, parts: PARTS.map((part) => (Array.isArray(spec[part]) ? spec[part] : undefined)) };
    },
  };
}

function ownerOf(pod: KubeObject): string {
  const uid = pod.metadata.ownerReferences?.[0]?.uid;
  return typeof uid === 'string' ? uid : '';
}

/** Containers as `writeContainers` wrote them; where the next value begins, -1 where anything differs. */
function matchContainers(list: unknown, tape: Tape, start: number, typed: boolean): number {
  let at = start;
  if (!Array.isArray(list)) return list === tape[at] ? at + 1 : -1;
  if (tape[at++] !== LIST) return -1;
  for (let i = 0; i < list.length; i++) {
    const container: unknown = list[i];
    if (!isFields(container) || tape[at++] !== OBJECT) return -1;
    for (const name in container) {
      if (tape[at++] !== name) return -1;
      const held = container[name];
      if (name === OWN) {
        if (!typed && !conform(held, MOUNTS)) return -1;
      } else if (held !== null && typeof held === 'object') {
        at = match(held, tape, at);
        if (at < 0) return -1;
      } else if (tape[at++] !== held) return -1;
    }
    if (tape[at++] !== END) return -1;
  }
  return tape[at] === END ? at + 1 : -1;
}

function match(value: object, tape: Tape, start: number): number {
  let at = start;
  if (Array.isArray(value)) {
    if (tape[at++] !== LIST) return -1;
    for (let i = 0; i < value.length; i++) {
      const held: unknown = value[i];
      if (held !== null && typeof held === 'object') {
        at = match(held, tape, at);
        if (at < 0) return -1;
      } else if (tape[at++] !== held) return -1;
    }
  } else {
    if (tape[at++] !== OBJECT) return -1;
    for (const name in value) {
      if (tape[at++] !== name) return -1;
      const held = (value as Fields)[name];
      if (held !== null && typeof held === 'object') {
        at = match(held, tape, at);
        if (at < 0) return -1;
      } else if (tape[at++] !== held) return -1;
    }
  }
  return tape[at] === END ? at + 1 : -1;
}

/** Containers, and of the field that differs the name alone; false where it is longer or deeper than any. */
function writeContainers(list: unknown, tape: Tape): boolean {
  if (!Array.isArray(list)) return write(list, tape);
  tape.push(LIST);
  for (const container of list as unknown[]) {
    if (!isFields(container)) return false;
    tape.push(OBJECT);
    for (const name in container) {
      tape.push(name);
      if (name !== OWN && !write(container[name], tape)) return false;
    }
    tape.push(END);
  }
  tape.push(END);
  return true;
}

function write(value: unknown, tape: Tape, depth = 0): boolean {
  if (tape.length >= MOST_MARKS || depth > MOST_NESTED) return false;
  if (value === null || typeof value !== 'object') {
    tape.push(value);
    return true;
  }
  if (Array.isArray(value)) {
    tape.push(LIST);
    for (const held of value as unknown[]) if (!write(held, tape, depth + 1)) return false;
  } else {
    tape.push(OBJECT);
    for (const name in value) {
      tape.push(name);
      if (!write((value as Fields)[name], tape, depth + 1)) return false;
    }
  }
  tape.push(END);
  return true;
}

// Thousands of equal lists would be held, and moved about by the collector.
function share(list: unknown, twins: readonly unknown[] | undefined): void {
  if (!Array.isArray(list) || !twins) return;
  for (let i = 0; i < list.length; i++) {
    const [container, twin] = [list[i] as Fields, twins[i] as Fields];
    for (const name in container) {
      const held = container[name];
      if (name !== OWN && held !== null && typeof held === 'object') container[name] = twin[name];
    }
  }
}
