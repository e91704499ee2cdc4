import type { KubeObject } from '../../model/kinds.ts';
import type { Door } from '../door.ts';
import { admitted } from './list.ts';
import type { Want } from './want.ts';

/** What one line of a watch changes. */
export type Told =
  | { type: 'set' | 'gone'; object: KubeObject; version: string }
  /** Nothing happened up to this version. */
  | { type: 'bookmark'; version: string }
  /** The watch has come to its end; `gone`: its version is too old, and what happened since cannot be told any more. */
  | { type: 'error'; gone: boolean; message: string }
  | { type: 'noise' };

interface Line {
  type?: unknown;
  object?: { kind?: unknown; metadata?: { resourceVersion?: unknown }; code?: unknown; reason?: unknown; message?: unknown };
}

/** Reads one line, `{"type": "MODIFIED", "object": {...}}` (apimachinery, meta/v1 WatchEvent). Raises where it is no JSON. */
export function readEvent(text: string, want: Want, door: Door): Told {
  const { type, object } = JSON.parse(text) as Line;
  if (object === null || typeof object !== 'object') return { type: 'noise' };
  const held = object.metadata?.resourceVersion;
  const version = typeof held === 'string' ? held : '';
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED': {
      const known = admitted(want, object, door);
      return known ? { type: type === 'DELETED' ? 'gone' : 'set', object: known, version } : { type: 'noise' };
    }
    case 'BOOKMARK':
      return { type: 'bookmark', version };
    // A metav1.Status; the stream ends behind it.
    case 'ERROR':
      return {
        type: 'error',
        gone: object.code === 410 || object.reason === 'Expired' || object.reason === 'Gone',
        message: typeof object.message === 'string' ? object.message : 'the server ended the watch with an error',
      };
    default:
      return { type: 'noise' };
  }
}
