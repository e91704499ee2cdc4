import type { ServerResponse } from 'node:http';
import type { KubeObject } from '../model/kinds.ts';
import { type Asked, type Selected, objectBody, table } from './lists.ts';
import { versionOf } from './resources.ts';
import { failure } from './status.ts';

const BOOKMARK_EVERY = 60_000;
const LONGEST = 3600;
/** What a reader may leave unread before it is let go. */
const MOST_PENDING = 8 * 1024 * 1024;

/**
 * A watch on something that does not change: what is there (unless the request says from where on), bookmarks, and then
 * silence until the client or its time limit ends it. A version before the recording is gone (410), as it is after compaction.
 */
export function watch(response: ServerResponse, selected: Selected, asked: Asked): void {
  const { resource, form, query } = asked;
  const initial = query.get('sendInitialEvents') === 'true';
  const from = query.get('resourceVersion') ?? '';
  const bookmarks = query.get('allowWatchBookmarks') === 'true' || query.get('allowWatchBookmarks') === '1';
  response.writeHead(200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache, private' });
  response.flushHeaders();
  let first = true;
  const send = (type: string, object: object): void => {
    if (response.writableLength > MOST_PENDING) return void response.destroy();
    response.write(`${JSON.stringify({ type, object })}\n`);
  };
  const shown = (object: KubeObject): object => {
    const body =
      form.as === 'table' ? table([object], { resourceVersion: object.metadata.resourceVersion ?? '' }, asked, { headers: first }) : objectBody(object, asked);
    first = false;
    return body;
  };
  const bookmark = (annotations?: object): void => {
    const metadata = { resourceVersion: selected.version, creationTimestamp: null, ...(annotations ? { annotations } : {}) };
    const object =
      form.as === 'objects'
        ? { kind: resource.kind, apiVersion: versionOf(resource), metadata }
        : { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
    send(
      'BOOKMARK',
      form.as === 'table'
        ? {
            kind: 'Table',
            apiVersion: form.apiVersion,
            metadata: { resourceVersion: selected.version },
            columnDefinitions: null,
            rows: [{ cells: [], object }],
          }
        : object,
    );
  };

  if (!initial && from !== '' && from !== '0' && Number(from) < Number(selected.version)) {
    send('ERROR', failure(410, 'Expired', `too old resource version: ${from} (the recording begins at ${selected.version})`));
    return void response.end();
  }
  if (selected.rest) {
    send('ERROR', selected.rest);
    return void response.end();
  }
  if (initial || from === '' || from === '0') for (const object of selected.objects) send('ADDED', shown(object));
  if (initial && bookmarks) bookmark({ 'k8s.io/initial-events-end': 'true' });

  const beat = bookmarks ? setInterval(bookmark, BOOKMARK_EVERY) : undefined;
  const wanted = Number(query.get('timeoutSeconds') ?? LONGEST);
  const seconds = Number.isFinite(wanted) && wanted > 0 ? Math.min(wanted, LONGEST) : LONGEST;
  const limit = setTimeout(() => response.end(), seconds * 1000);
  response.on('close', () => {
    clearInterval(beat);
    clearTimeout(limit);
  });
}
