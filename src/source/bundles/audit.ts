import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { type Compression, unpacker } from './compression.ts';
import { LIMITS, inMiB } from './limits.ts';

interface AuditEvent {
  apiVersion?: string;
  kind?: string;
  stage?: string;
  verb?: string;
  user?: { username?: string };
  objectRef?: { resource?: string; subresource?: string; namespace?: string; name?: string; apiGroup?: string };
  responseStatus?: { code?: number; reason?: string; message?: string };
  requestReceivedTimestamp?: string;
}

export const isAudit = (head: string): boolean => /"apiVersion"\s*:\s*"audit\.k8s\.io\//.test(head);

const WRITES = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);
const MOST_KEPT = 20;
const MOST_LINE = 4 * 1024 * 1024;

/**
 * What an audit log adds to objects: refused writes leave no object behind, and nobody but the audit log says so. It is no
 * state of anything, so it goes into sentences, newest last, and proves nothing present or absent. Read line by line.
 */
export async function auditNotes(path: string, name: string, compression: Compression | null): Promise<string[]> {
  const refused = new Map<string, { count: number; last: string }>();
  let bytes = 0;
  let damaged = 0;
  const file = createReadStream(path);
  const input = compression ? pipeline(file, unpacker(compression), () => undefined) : file;
  const broken: string[] = [];
  try {
    for await (const line of linesOf(input as AsyncIterable<Buffer>)) {
      bytes += line.length;
      if (bytes > LIMITS.total) {
        broken.push(`${name} is longer than ${inMiB(LIMITS.total)}; the rest was not read.`);
        break;
      }
      if (line.trim() === '') continue;
      const event = parsed(line);
      if (event === null) damaged++;
      else see(event, refused);
    }
  } catch (error) {
    broken.push(`${name} breaks off: ${(error as Error).message}.`);
  } finally {
    file.destroy();
  }
  if (damaged > 0) broken.push(`${name}: ${damaged} ${damaged === 1 ? 'line is' : 'lines are'} no audit events.`);
  const told = [...refused].sort(([, a], [, b]) => (a.last < b.last ? -1 : 1)).slice(-MOST_KEPT);
  return [...broken, ...told.map(([words, { count, last }]) => `Audit log: ${words}${count > 1 ? ` (${count} times, last ${last})` : ` (${last})`}`)];
}

/** Lines, without those that are longer than any event: no line is held in full that has no end. */
async function* linesOf(input: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let held = '';
  let skipping = false;
  for await (const chunk of input) {
    const parts = decoder.decode(chunk, { stream: true }).split('\n');
    for (const [index, part] of parts.entries()) {
      if (index > 0) {
        if (!skipping) yield held;
        held = '';
        skipping = false;
      }
      if (!skipping) held += part;
      if (held.length > MOST_LINE) {
        held = '';
        skipping = true;
      }
    }
  }
  if (!skipping && held !== '') yield held;
}

function see(event: AuditEvent, refused: Map<string, { count: number; last: string }>): void {
  const { verb = '', user, objectRef = {}, responseStatus = {}, stage, requestReceivedTimestamp = '' } = event;
  if ((stage !== undefined && stage !== 'ResponseComplete') || !WRITES.has(verb) || !responseStatus.code || responseStatus.code < 400) return;
  // Somebody was there first, or it was gone already: how controllers work, not a refusal.
  if (responseStatus.code === 409 || responseStatus.code === 404) return;
  const what = [objectRef.resource ?? '', objectRef.subresource].filter(Boolean).join('/');
  const words = `${verb} ${what}${objectRef.namespace ? ` in ${objectRef.namespace}` : ''} by ${user?.username ?? 'somebody'} was refused with ${responseStatus.code}: ${(responseStatus.message ?? responseStatus.reason ?? 'no message').slice(0, 400)}`;
  const before = refused.get(words);
  refused.set(words, { count: (before?.count ?? 0) + 1, last: before && before.last > requestReceivedTimestamp ? before.last : requestReceivedTimestamp });
}

function parsed(line: string): AuditEvent | null {
  try {
    const value = JSON.parse(line) as AuditEvent | null;
    return value !== null && typeof value === 'object' && String(value.apiVersion).startsWith('audit.k8s.io/') ? value : null;
  } catch {
    return null;
  }
}
