import type { Cost, SnapshotInput } from '../../model/snapshot.ts';
import type { Door } from '../door.ts';
import { createNotes } from '../notes.ts';
import type { SourceOptions } from '../options.ts';
import { createRedactor } from '../redact.ts';
import type { TypedTarget, TypeNames } from '../targets.ts';
import { feel, type Kept } from './kept.ts';
import { type Connection, connect } from './kubeconfig.ts';
import { failureOf, PARTIAL_LIST, read, unread } from './list.ts';
import { probe } from './probe.ts';
import { readScope } from './scope.ts';
import { isServedRecording, note, serverOf } from './server.ts';
import { type Session, createSession } from './session.ts';
import { createServerClock, localNow, type ServerClock } from './skew.ts';
import { consistentPath, firstStage } from './stage.ts';
import { type Answer, type Transport, createTransport } from './transport.ts';
import type { Tally } from './watched.ts';

export interface ClusterReading {
  input: SnapshotInput;
  /** Empty with -A. */
  namespaces: string[];
  types: TypeNames[];
  /** It is a recording that is served: its clock stands, and nothing in it moves. */
  still: boolean;
}

/** How long the server may be silent, in ms. */
export interface Patience {
  hello: number;
  /** A consistent read of one object takes milliseconds; without an etcd quorum it hangs for a minute. */
  consistent: number;
  /** What is read from the cache then. */
  cached: number;
  /** One step of looking at a connection that failed. */
  step: number;
}
/** A handshake over a long way takes half a second: whoever is out of time still may not call it broken. */
const LEAST_STEP = 1_000;
export const PATIENCE: Patience = { hello: 10_000, consistent: 6_000, cached: 5_000, step: 5_000 };

/**
 * Reads a cluster for a scope. Raises UserError for faults of the kubeconfig and its credentials only: a server that does
 * not answer, refuses, or answers in part becomes a snapshot that says so.
 */
export async function readCluster(options: SourceOptions, typed: readonly TypedTarget[], patience: Patience = PATIENCE): Promise<ClusterReading> {
  const connection = await connect(options.kube ?? {});
  const namespaces = options.all ? [] : options.namespaces?.length ? [...new Set(options.namespaces)] : [connection.namespace];
  const transport = createTransport(connection, options.requestTimeout ? { budget: options.requestTimeout } : {});
  try {
    return await run({ connection, transport, namespaces, typed, patience, say: options.onProgress ?? (() => undefined) });
  } finally {
    transport.close();
  }
}

export interface Run {
  connection: Connection;
  transport: Transport;
  namespaces: string[];
  typed: readonly TypedTarget[];
  patience: Patience;
  say(text: string): void;
  kept?: Kept;
}

export async function run(of: Run): Promise<ClusterReading> {
  const { connection, transport, namespaces, patience, say, kept } = of;
  const started = performance.now();
  const { host } = connection.server;
  const store = kept?.store ?? null;
  const door = kept?.door ?? newDoor();
  const clock = kept?.clock ?? createServerClock();
  const stale = new AbortController();
  const consistency = { signal: stale.signal, patience: patience.cached };
  const session = createSession(
    (want) => (store ? store.read(want, consistency) : read(want, transport, door, consistency)),
    (done, all) => say(`reading ${host}: ${done} of ${all}`),
  );
  const readConsistently = (): Promise<Answer> =>
    transport.get(consistentPath(namespaces), { accept: PARTIAL_LIST, silence: patience.consistent, retries: 1, signal: stale.signal });
  if (kept && store) await feel(kept, store, clock, readConsistently);
  say(`asking ${host}`);
  const version = await greet(of, clock);
  const server = serverOf(connection, version);
  if (version.code !== 200) note(server, failureOf('/version', version));
  if (version.code === null) Object.assign(server, await probe(connection, version, () => Math.max(LEAST_STEP, Math.min(patience.step, transport.left()))));

  let served = kept?.served ?? null;
  if (version.code === null || version.code === 401) {
    // Nothing else would be answered otherwise: who is asking is checked before what for.
    for (const want of firstStage(namespaces)) session.settle(want, unread(want, version));
  } else served = await readScope({ ...of, session, server, version, stale, readConsistently });
  for (const listed of session.found()) note(server, listed.failure);
  return {
    namespaces,
    types: served ?? [],
    still: isServedRecording(version),
    input: {
      objects: session.objects(),
      coverage: session.coverage(),
      server,
      capturedAt: captured(session, clock),
      source: { kind: 'cluster', name: server.endpoint },
      cost: { ...transport.cost(), ms: Math.round(performance.now() - started), ...(store ? { watch: watchCost(store.tally()) } : {}) },
      notes: [...door.notes.list(), ...(isServedRecording(version) ? [] : skewInWords(clock.skew()))],
    },
  };
}

/** The server's version, and by it the first that is known of its clock. */
async function greet({ transport, patience, kept }: Run, clock: ServerClock): Promise<Answer> {
  const known = kept?.store ? kept.version : null;
  if (known) return known;
  const version = await transport.get('/version', { silence: patience.hello });
  // What was answered a while ago tells an older time.
  if (isServedRecording(version)) clock.stop(version.date);
  else clock.see(version.date, localNow());
  return version;
}

export const newDoor = (): Door => ({ notes: createNotes(), redactor: createRedactor(), typed: true });

const watchCost = ({ open, watches, resumed, lost, relisted, polled }: Readonly<Tally>): NonNullable<Cost['watch']> => ({
  open,
  watches,
  resumed,
  lost,
  relisted,
  polled: [...polled].sort(),
});

// The time of the last thing that was read: whatever happened after it was not seen, and waiting for what never came is no age.
function captured(session: Session, clock: ServerClock): string {
  const times = session
    .found()
    .map((listed) => listed.at)
    .filter((at) => !Number.isNaN(at));
  const last = times.length > 0 ? times.reduce((a, b) => Math.max(a, b)) : localNow();
  return new Date(clock.at(last)).toISOString();
}

const skewInWords = (skew: number): string[] =>
  Math.abs(skew) > 30_000 ? [`This machine's clock differs from the server's by ${Math.round(Math.abs(skew) / 1000)} s; ages follow the server's.`] : [];
