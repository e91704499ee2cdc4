import { RESOURCES } from '../../model/resources.ts';
import type { Cost, Scope, Snapshot } from '../../model/snapshot.ts';

/**
 * A recording is a directory:
 *   manifest.json   what, when, by whom, how much, what was redacted
 *   server.json     the API server as an object: what answered, what did not
 *   coverage.json   every list that was asked for, in order, and how it ended
 *   redaction.json  every object values were taken out of, and where in it
 *   lists/<group|core>/<version>/<resource>.jsonl   a header line, then one object a line
 *   logs/<namespace>/<pod uid>/<container>/{current,previous}.log   where somebody put them; `record` keeps none
 */
export const FORMAT = 1;
export const MANIFEST = 'manifest.json';
export const SERVER = 'server.json';
export const COVERAGE = 'coverage.json';
export const REDACTION = 'redaction.json';
export const LISTS = 'lists';
export const LOGS = 'logs';

export interface Manifest {
  kind: 'Recording';
  formatVersion: number;
  /** Who wrote it, with version. */
  tool: string;
  /** RFC 3339; the clock of every judgement. */
  capturedAt: string;
  /** The server's URL, or the dump's file names. */
  source: string;
  scope: Scope;
  cost: Cost;
  notes: string[];
  /** `values` taken out of `objects`. */
  redaction: { profile: string; values?: number; objects?: number };
}

/** Where a kind's list lies: `core/v1/pods.jsonl`. `key` is a kindKey. */
export function fileOf(key: string, snapshot: Snapshot): string {
  const resource = RESOURCES.find((each) => each.kind === key);
  if (resource) return [resource.group || 'core', resource.version, `${resource.resource}.jsonl`].join('/');
  const [kind = '', ...group] = key.split('.');
  const version = snapshot.seen(key)[0]?.apiVersion.split('/').at(-1) ?? 'unknown';
  return [group.join('.') || 'core', version, `${kind.toLowerCase()}.jsonl`].map((part) => part.replaceAll(/[^\w.-]/g, '_').replace(/^\.+/, '_')).join('/');
}
