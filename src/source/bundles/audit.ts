import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { type Compression, unpacker } from './compression.ts';
import type { Redactor } from '../redact.ts';
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
  annotations?: Record<string, unknown>;
}

/** Of what is said of a log: whose namespaces count (none: all), and who takes out what looks like a secret. */
export interface AuditView {
  namespaces: readonly string[];
  redactor: Redactor;
}

type Told = Map<string, { count: number; last: string }>;

/** By the first bytes of a file. */
export const isAudit = (head: string): boolean => /"apiVersion"\s*:\s*"audit\.k8s\.io\//.test(head);

const WRITES = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);
const MOST_KEPT = 20;
const MOST_WORDS = 400;
const MOST_LINE = 4 * 1024 * 1024;

/**
 * What an audit log adds to objects: refused writes leave no object behind, and neither do the violations and the
 * webhooks that were let pass; nobody but the audit log says so. It is no state of anything, so it goes into sentences, newest last, and proves nothing present or absent. Read line by line.
 */
export async function auditNotes(path: string, name: string, compression: Compression | null, { namespaces, redactor }: AuditView): Promise<string[]> {
  const told: Told = new Map();
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
      else if (concerns(event, namespaces)) see(event, told);
    }
  } catch (error) {
    broken.push(`${name} breaks off: ${(error as Error).message}.`);
  } finally {
    file.destroy();
  }
  if (damaged > 0) broken.push(`${name}: ${damaged} ${damaged === 1 ? 'line is' : 'lines are'} no audit events.`);
  const newest = [...told].sort(([, a], [, b]) => (a.last < b.last ? -1 : 1)).slice(-MOST_KEPT);
  return [
    ...broken,
    ...newest.map(([words, { count, last }]) => `Audit log: ${redactor.sentence(words)}${count > 1 ? ` (${count} times, last ${last})` : ` (${last})`}`),
  ];
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

// What is of no namespace may be what a namespace waits for.
const concerns = ({ objectRef }: AuditEvent, namespaces: readonly string[]): boolean =>
  namespaces.length === 0 || !objectRef?.namespace || namespaces.includes(objectRef.namespace);

function see(event: AuditEvent, told: Told): void {
  const { verb = '', user, objectRef = {}, responseStatus = {}, stage, requestReceivedTimestamp = '' } = event;
  if (!WRITES.has(verb)) return;
  const { code = 0, message, reason } = responseStatus;
  const what = [objectRef.resource ?? '', objectRef.subresource].filter(Boolean).join('/');
  const write = `${verb} ${what}${objectRef.apiGroup ? `.${objectRef.apiGroup}` : ''}${objectRef.namespace ? ` in ${objectRef.namespace}` : ''} by ${user?.username ?? 'somebody'}`;
  const tell = (words: string): void => {
    const before = told.get(words);
    told.set(words, {
      count: (before?.count ?? 0) + 1,
      last: before && before.last > requestReceivedTimestamp ? before.last : requestReceivedTimestamp,
    });
  };
  if (stage === 'Panic') return tell(`${write} ended in a panic of the API server: ${(message ?? reason ?? 'no message').slice(0, MOST_WORDS)}`);
  if (stage !== undefined && stage !== 'ResponseComplete') return;
  if (code < 400) for (const words of passedWith(event.annotations)) tell(`${write} ${words}`);
  // Somebody was there first, or it was gone already: how controllers work, not a refusal.
  if (code < 400 || code === 409 || code === 404) return;
  tell(`${write} was refused with ${code}: ${(message ?? reason ?? 'no message').slice(0, MOST_WORDS)}`);
}

/** What admission wrote beside a request that it let pass, although something was amiss. */
function passedWith(annotations: Record<string, unknown> = {}): string[] {
  return Object.entries(annotations).flatMap(([key, value]) => {
    // pod-security-admission, api/constants.go: of the `audit` level, and of an error in the policy itself.
    if (key === 'pod-security.kubernetes.io/audit-violations') return [`passed although Pod Security objects: ${String(value).slice(0, MOST_WORDS)}`];
    if (key === 'pod-security.kubernetes.io/error') return [`was judged without Pod Security: ${String(value).slice(0, MOST_WORDS)}`];
    if (key === 'validation.policy.admission.k8s.io/validation_failure')
      return [`passed although a ValidatingAdmissionPolicy objects: ${String(value).slice(0, MOST_WORDS)}`];
    // apiserver, admission/plugin/webhook: called in vain, under failurePolicy Ignore.
    if (/^failed-open\.(?:validating|mutation)\.webhook\.admission\.k8s\.io\//.test(key))
      return [`passed although webhook ${String(value).slice(0, 200)} did not answer (failurePolicy Ignore)`];
    return [];
  });
}

function parsed(line: string): AuditEvent | null {
  try {
    const value = JSON.parse(line) as AuditEvent | null;
    return value !== null && typeof value === 'object' && String(value.apiVersion).startsWith('audit.k8s.io/') ? value : null;
  } catch {
    return null;
  }
}
