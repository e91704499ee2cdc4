import type { Coverage } from './coverage.ts';
import type { KnownKinds, KubeObject } from './kinds.ts';
import { type Gap, type GapReason, type Read, absent, known, unknown } from './read.ts';
import { kindKey } from './resources.ts';
import type { ApiServer } from './server.ts';
import { byText } from './order.ts';

export interface Scope {
  /** Namespaces judged; empty with `all` for every namespace. */
  namespaces: string[];
  all: boolean;
  /** `TYPE/NAME` targets; empty for everything in the namespaces. Without a name a type of which there is none. */
  targets: { kind: string; name: string; namespace?: string | undefined }[];
  /** Label selector, as typed. */
  selector?: string | undefined;
}

/** The end of the note on files that tell no time of their own. */
export const NO_TIME = 'holds no time; ages are counted from now.';

export interface SourceInfo {
  kind: 'cluster' | 'recording' | 'files';
  /** Server URL, recording directory's own name, or file names. */
  name: string;
  /** For recordings: who recorded it. */
  tool?: string | undefined;
}

export interface Cost {
  requests: number;
  bytes: number;
  ms: number;
  /** Where lists are kept up to date by watches. */
  watch?: WatchCost | undefined;
}

export interface WatchCost {
  /** Connections held open now. */
  open: number;
  /** Watches asked for so far; those of them that went on where another had ended. */
  watches: number;
  resumed: number;
  /** How often one broke, and how often what had been missed could only be had by a new list. */
  lost: number;
  relisted: number;
  /** Kinds that may be listed and not watched. */
  polled: string[];
}

/** What a source hands over. */
export interface SnapshotInput {
  objects: KubeObject[];
  coverage: Coverage[];
  server: ApiServer;
  /** RFC 3339; the clock of every judgement. */
  capturedAt: string;
  source: SourceInfo;
  cost: Cost;
  /** Sentences about the reading itself that a person should see (an unknown kind skipped, half a file). */
  notes?: string[];
}

/** Everything read, at one capture time. Immutable; the one class with identity, because of its indexes. */
export class Snapshot {
  readonly server: ApiServer;
  readonly capturedAt: string;
  readonly now: number;
  readonly source: SourceInfo;
  readonly cost: Cost;
  readonly coverage: readonly Coverage[];
  readonly notes: readonly string[];
  readonly #kinds = new Map<string, KubeObject[]>();
  /** Made for a kind, or at all, when somebody first asks: most kinds are only ever walked through. */
  readonly #inNamespace = new Map<string, Map<string, KubeObject[]>>();
  readonly #names = new Map<string, Map<string, KubeObject>>();
  #uids: Map<string, KubeObject> | null = null;
  readonly #covered = new Map<string, Coverage[]>();

  constructor(input: SnapshotInput) {
    this.server = input.server;
    this.capturedAt = input.capturedAt;
    this.now = Date.parse(input.capturedAt);
    this.source = input.source;
    this.cost = input.cost;
    this.coverage = input.coverage;
    this.notes = input.notes ?? [];
    for (const object of input.objects) push(this.#kinds, kindKey(object.apiVersion, object.kind), object);
    // The order in which objects came must not show anywhere; the API server's own order is this one.
    for (const list of this.#kinds.values()) sortByName(list);
    for (const entry of input.coverage) push(this.#covered, entry.kind, entry);
  }

  #spacesOf(kind: string): Map<string, KubeObject[]> {
    let spaces = this.#inNamespace.get(kind);
    if (!spaces) {
      this.#inNamespace.set(kind, (spaces = new Map()));
      for (const object of this.#kinds.get(kind) ?? []) push(spaces, object.metadata.namespace ?? '', object);
    }
    return spaces;
  }

  #named(kind: string, namespace: string, name: string): KubeObject | undefined {
    let names = this.#names.get(kind);
    if (!names) {
      this.#names.set(kind, (names = new Map()));
      for (const object of this.#kinds.get(kind) ?? []) names.set(`${object.metadata.namespace ?? ''}\0${object.metadata.name}`, object);
    }
    return names.get(`${namespace}\0${name}`);
  }

  /** Every kind with at least one object. */
  kinds(): string[] {
    return [...this.#kinds.keys()];
  }

  /** What was read of a kind, without a claim that it is all. Namespace `undefined` means every namespace. */
  seen<K extends keyof KnownKinds>(kind: K, namespace?: string): readonly KnownKinds[K][];
  seen(kind: string, namespace?: string): readonly KubeObject[];
  seen(kind: string, namespace?: string): readonly unknown[] {
    if (namespace === undefined) return this.#kinds.get(kind) ?? [];
    return this.#spacesOf(kind).get(namespace) ?? [];
  }

  /** Everything of a kind: known only from a complete list. `namespace` undefined: over all namespaces or cluster scope. */
  list<K extends keyof KnownKinds>(kind: K, namespace?: string): Read<readonly KnownKinds[K][]>;
  list(kind: string, namespace?: string): Read<readonly KubeObject[]>;
  list(kind: string, namespace?: string): Read<readonly unknown[]> {
    const gap = this.gap(kind, namespace);
    return gap ? unknown(gap) : known(this.seen(kind, namespace));
  }

  /** One object: present, absent by a complete list or a 404, or unknown. */
  get<K extends keyof KnownKinds>(kind: K, namespace: string | undefined, name: string): Read<KnownKinds[K]>;
  get(kind: string, namespace: string | undefined, name: string): Read<KubeObject>;
  get(kind: string, namespace: string | undefined, name: string): Read<unknown> {
    const object = this.#named(kind, namespace ?? '', name);
    if (object) return known(object);
    const single = this.#single(kind, namespace, name);
    if (single?.state === 'complete' || single?.state === 'not-served') return absent;
    const gap = this.gap(kind, namespace);
    if (!gap) return absent;
    if (single) return unknown({ ...gapOf(single, kind, namespace), name });
    return unknown({ ...gap, name });
  }

  byUid(uid: string): KubeObject | undefined {
    if (!this.#uids) {
      this.#uids = new Map();
      for (const list of this.#kinds.values()) for (const object of list) if (object.metadata.uid) this.#uids.set(object.metadata.uid, object);
    }
    return this.#uids.get(uid);
  }

  /** Why `list(kind, namespace)` is not complete, or null if it is. */
  gap(kind: string, namespace?: string): Gap | null {
    const entries = (this.#covered.get(kind) ?? []).filter((entry) => !entry.selector);
    const whole = entries.find((entry) => entry.namespace === null);
    if (whole && isComplete(whole)) return null;
    const own = namespace === undefined ? undefined : entries.find((entry) => entry.namespace === namespace);
    if (own && isComplete(own)) return null;
    const failed = own ?? whole;
    if (failed) return gapOf(failed, kind, namespace);
    return { reason: 'not-collected', kind, namespace };
  }

  #single(kind: string, namespace: string | undefined, name: string): Coverage | undefined {
    return this.#covered.get(kind)?.find((entry) => entry.selector === `metadata.name=${name}` && (entry.namespace ?? '') === (namespace ?? ''));
  }
}

function sortByName(list: KubeObject[]): void {
  for (let i = 1; i < list.length; i += 1) {
    if (byName(list[i - 1] as KubeObject, list[i] as KubeObject) > 0) {
      list.sort(byName);
      return;
    }
  }
}

function byName(a: KubeObject, b: KubeObject): number {
  const [one, two] = [a.metadata, b.metadata];
  return byText(one.namespace ?? '', two.namespace ?? '') || byText(one.name, two.name) || byText(one.uid ?? '', two.uid ?? '');
}

const isComplete = (entry: Coverage): boolean => entry.state === 'complete' || entry.state === 'not-served';

function gapOf(entry: Coverage, kind: string, namespace: string | undefined): Gap {
  const reason: GapReason = entry.state === 'complete' || entry.state === 'not-served' ? 'not-collected' : entry.state;
  return { reason, kind, namespace, message: entry.message };
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
