import type { ItemKind } from '../door.ts';
import { LIMITS } from './limits.ts';

/** What one file of a bundle is to a diagnosis. */
export type Part =
  /** Everything of a kind, of one namespace; without `namespace` of the cluster. */
  | { is: 'list'; item?: ItemKind | undefined; namespace?: string | undefined }
  /** One object. `whole`: the tool writes every object of a kind to a file of its own, so that the folder is the list. */
  | { is: 'object'; item?: ItemKind | undefined; namespace?: string | undefined; whole: boolean }
  /** Later states of the object in the file `of`: a JSON patch a line, each for the state before it. */
  | { is: 'patches'; of: string }
  /** Something about the bundle or the cluster. */
  | { is: 'about'; read(text: string, bundle: About): void };

/** A part that holds objects. */
export type Holding = Extract<Part, { is: 'list' | 'object' }>;

/** What a bundle says beside its objects. */
export interface About {
  /** A time the tool wrote down itself, RFC 3339. */
  time(at: string): void;
  /** When it saw something change: the clock stands no earlier. */
  changed(at: string): void;
  version(text: string): void;
  /** A list that did not come: kind, namespace (null: all or cluster scope), and the server's words. */
  failed(item: ItemKind, namespace: string | null, message: string): void;
  /** A list that came, by the tool's own account; empty where there are no files of it. */
  listed(item: ItemKind, namespace: string | null): void;
  note(text: string): void;
}

/** Whose log, and which. */
export interface LogName {
  namespace: string;
  pod: string;
  uid: string;
  container: string;
  previous: boolean;
  /** Every container of the pod. */
  containers: readonly string[];
}

/** How a tool keeps the logs of containers. */
export interface LogLayout {
  /** Where one may lie below a root. */
  paths(name: LogName): readonly string[];
  /** The kubelet's time stands in front of each line. */
  stamped: boolean;
  /** The one log in a file of several; null where it is not in it. */
  within?(text: string, name: LogName): string | null;
}

export interface Layout {
  /** As a person calls it. */
  tool: string;
  /** Where it begins, at most `LIMITS.depth` folders down; '' is the top. Empty where this is no such bundle. */
  roots(paths: readonly string[]): string[];
  /** Reads the names below a root; what comes back says of each what it is, null where it is of no use. */
  open(paths: readonly string[]): (path: string) => Part | null;
  /** Puts right what the tool does to values, before anything else sees them. */
  mend?(value: unknown): unknown;
  /** The last state of what was recorded over a time; null where it is no more at the end. */
  last?(value: unknown, about: About): unknown;
  /** Absent where it keeps none. */
  logs?: LogLayout;
  /** Of several roots each is a cluster of its own. */
  apart?: boolean;
}

/** Folders below which a path matches, each once, the outermost first. */
export function rootsBy(paths: readonly string[], sign: RegExp): string[] {
  const roots = new Set<string>();
  for (const path of paths) {
    let at = 0;
    for (let depth = 0; depth <= LIMITS.depth; depth++) {
      if (sign.test(path.slice(at))) {
        roots.add(path.slice(0, at));
        break;
      }
      const next = path.indexOf('/', at);
      if (next < 0) break;
      at = next + 1;
    }
  }
  return [...roots].sort();
}

export const isText = (path: string): boolean => /\.(?:json|ya?ml)$/.test(path);
export const bare = (name: string): string => name.replace(/\.(?:json|ya?ml)$/, '');

/** `app-previous.log` is the log of a container of that name, where there is one. */
export const previousBeside = (folder: string, before: string, { container, previous, containers }: LogName): string[] =>
  previous && containers.includes(`${container}-previous`) ? [] : [`${folder}/${before}${container}${previous ? '-previous' : ''}.log`];
