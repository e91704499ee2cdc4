import type { Cost, SnapshotInput } from '../../model/snapshot.ts';
import type { Door } from '../door.ts';
import { createNotes } from '../notes.ts';
import type { SourceOptions } from '../options.ts';
import { createRedactor } from '../redact.ts';
import { type TypedTarget, type TypeNames, resolveType } from '../targets.ts';
import { type Served, discover } from './discovery.ts';
import { checkHealth } from './health.ts';
import { type Connection, connect } from './kubeconfig.ts';
import { failureOf, PARTIAL_LIST, read, unread } from './list.ts';
import { needed } from './needs.ts';
import { probe } from './probe.ts';
import { isServedRecording, note, serverOf } from './server.ts';
import { type Session, createSession } from './session.ts';
import { createServerClock, localNow, type ServerClock } from './skew.ts';
import { consistentPath, definitionWants, firstStage, targetWants } from './stage.ts';
import type { Store } from './store.ts';
import { type Answer, type Transport, createTransport } from './transport.ts';
import { findTrouble } from './trouble.ts';
import type { Tally } from './watched.ts';

export interface ClusterReading {
  input: SnapshotInput;
  /** Empty with -A. */
  namespaces: string[];
  types: TypeNames[];
}

/** What a healthy scope may cost in requests, pages apart. */
export const HEALTHY_BUDGET = 25;
/** /version, /readyz, /livez and the consistent read. */
const FIXED = 4;
const ROUNDS = 6;
/** Kinds that the plan asks for everywhere, and not every cluster has. */
const OPTIONAL = new Set(['Gateway', 'HTTPRoute']);
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

/** What one reading leaves for the next. */
export interface Kept {
  served: Served[] | null;
  door: Door;
  clock: ServerClock;
  /** Health was asked for and found well. */
  looked: boolean;
  /** Lists that are kept up to date; null where each reading reads everything. */
  store: Store | null;
  /** The last signs of life, so that a reading out of what is held asks nothing. */
  version: Answer | null;
  beat: { at: number; answer: Answer } | null;
  /** This reading lists everything, whatever is held. */
  anew: boolean;
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

export async function run({ connection, transport, namespaces, typed, patience, say, kept }: Run): Promise<ClusterReading> {
  const started = performance.now();
  const { host } = connection.server;
  const store = kept?.store ?? null;
  const door = kept?.door ?? newDoor();
  const clock = kept?.clock ?? createServerClock();
  const stale = new AbortController();
  const consistency = { signal: stale.signal, patience: patience.cached };
  const session = createSession((want) => (store ? store.read(want, consistency) : read(want, transport, door, consistency)), (done, of) => say(`reading ${host}: ${done} of ${of}`));
  let served: Served[] | null = kept?.served ?? null;

  const readConsistently = (): Promise<Answer> => transport.get(consistentPath(namespaces), { accept: PARTIAL_LIST, silence: patience.consistent, retries: 1, signal: stale.signal });
  if (kept && store) await feel(kept, store, clock, readConsistently);
  say(`asking ${host}`);
  const known = store ? (kept?.version ?? null) : null;
  const version = known ?? (await transport.get('/version', { silence: patience.hello }));
  // What was answered a while ago tells an older time.
  if (!known && isServedRecording(version)) clock.stop(version.date);
  else if (!known) clock.see(version.date, localNow());
  const server = serverOf(connection, version);
  if (version.code !== 200) note(server, failureOf('/version', version));
  if (version.code === null) Object.assign(server, await probe(connection, version, patience.step));

  if (version.code === null || version.code === 401) {
    // Nothing else would be answered otherwise: who is asking is checked before what for.
    for (const want of firstStage(namespaces)) session.settle(want, unread(want, version));
  } else {
    const foreign = typed.filter((target) => target.type !== '' && !resolveType(target.type));
    const health = Promise.all((kept?.looked ? [] : (['/readyz', '/livez'] as const)).map(async (path) => {
      const asked = await checkHealth(path, transport);
      if (asked.checks.some((check) => check.check === 'etcd' && !check.ok)) stale.abort();
      return asked;
    }));
    const consistent = (kept?.beat ? Promise.resolve(kept.beat.answer) : readConsistently()).then((answer) => {
      if (isUnserved(answer)) stale.abort();
      return answer;
    });
    const types = foreign.length > 0 ? (served ?? discover(transport)) : null;
    await session.read([...firstStage(namespaces), ...targetWants(typed, namespaces, [])]);
    for (const { path, checks, answer } of await health) {
      server.health.push(...checks);
      if (answer.code === null) note(server, failureOf(path, answer));
    }
    if (kept && !kept.looked) kept.looked = server.health.length > 0 && server.health.every((check) => check.ok);
    const answer = await consistent;
    if (kept && store) Object.assign(kept, { version, beat: kept.beat ?? { at: localNow(), answer } });
    if (answer.code === 200) server.consistentRead = true;
    // Given up for what /readyz said, it says nothing itself.
    if (isUnserved(answer) && answer.reason !== 'ABORT_ERR') {
      server.consistentRead = false;
      note(server, failureOf(consistentPath(namespaces).replace(/\?.*/, ''), answer));
    }
    if (types) {
      served = await types;
      // A look at one moment judges by what is written on the resource itself.
      await session.read([...targetWants(foreign, namespaces, served), ...(kept ? definitionWants(foreign, served) : [])]);
    }
    served = await followUp(session, transport, namespaces, served);
    // Who may do nothing is refused before the server looks whether there is such a resource at all (apiserver, filters/authorization.go).
    const optional = session.found().filter(({ coverage }) => coverage.state === 'forbidden' && OPTIONAL.has(coverage.kind));
    if (optional.length > 0) served ??= await discover(transport);
    for (const { coverage } of optional) if (served && served.length > 0 && !served.some(({ kind }) => kind === coverage.kind)) Object.assign(coverage, { state: 'not-served', code: 404, message: 'discovery does not name it' });
    if (kept) kept.served = served;
    const listed = session.found();
    const lost = listed.find((each) => each.coverage.state === 'failed' && each.failure?.code === null);
    if (lost && listed.every((each) => each.failure?.code === null)) server.connection = server.connection.map((step) => (step.step === 'http' ? { step: 'http', ok: false, ...(lost.failure?.reason ? { code: lost.failure.reason } : {}), message: lost.failure?.message ?? '' } : step));
  }
  for (const listed of session.found()) note(server, listed.failure);
  return {
    namespaces, types: served ?? [],
    input: {
      objects: session.objects(), coverage: session.coverage(), server,
      capturedAt: captured(session, clock),
      source: { kind: 'cluster', name: server.endpoint },
      cost: { ...transport.cost(), ms: Math.round(performance.now() - started), ...(store ? { watch: watchCost(store.tally()) } : {}) },
      notes: [...door.notes.list(), ...(isServedRecording(version) ? [] : skewInWords(clock.skew()))],
    },
  };
}

export const newDoor = (): Door => ({ notes: createNotes(), redactor: createRedactor(), typed: true });

/** How old a sign of life may be, in ms; where a watch has just been lost it must be newer. */
const BEAT = 5_000;
const DOUBT = 500;

/** Asks, now and then, for the smallest thing that only storage can answer: it tells that all is well, and the server's time. */
async function feel(kept: Kept, store: Store, clock: ServerClock, ask: () => Promise<Answer>): Promise<void> {
  store.begin(kept.anew);
  const age = localNow() - (kept.beat?.at ?? 0);
  if (!kept.version || (!kept.anew && age < (store.isDoubtful() ? DOUBT : BEAT))) return;
  const answer = await ask();
  clock.see(answer.date, localNow());
  const lives = answer.code !== null && answer.code !== 401;
  kept.beat = lives ? { at: localNow(), answer } : null;
  // Nobody there, or nobody known: it is greeted anew, and its version may be another.
  if (!lives) kept.version = null;
  else if (store.isDoubtful()) store.nudge();
}

const watchCost = ({ open, watches, resumed, lost, relisted, polled }: Readonly<Tally>): NonNullable<Cost['watch']> => ({ open, watches, resumed, lost, relisted, polled: [...polled].sort() });

const isUnserved = (answer: Answer): boolean => answer.code === null || answer.code >= 500;

// The time of the last thing that was read: whatever happened after it was not seen, and waiting for what never came is no age.
function captured(session: Session, clock: ServerClock): string {
  const times = session.found().map((listed) => listed.at).filter((at) => !Number.isNaN(at));
  const last = times.length > 0 ? times.reduce((a, b) => Math.max(a, b)) : localNow();
  return new Date(clock.at(last)).toISOString();
}

const skewInWords = (skew: number): string[] =>
  Math.abs(skew) > 30_000 ? [`This machine's clock differs from the server's by ${Math.round(Math.abs(skew) / 1000)} s; ages follow the server's.`] : [];

async function followUp(session: Session, transport: Transport, namespaces: readonly string[], known: Served[] | null): Promise<Served[] | null> {
  let served = known;
  for (let round = 0; round < ROUNDS; round++) {
    const view = session.view();
    let discovery = false;
    let spare = HEALTHY_BUDGET - FIXED - session.spent() - (served ? 1 : 0);
    const trouble = findTrouble(view, namespaces);
    const wants = needed({
      view, trouble, namespaces, served,
      afford: (want) => trouble.any || (want !== undefined && session.isRead(want)) || spare-- > 0,
      discover: () => void (discovery = true),
    });
    const asked = discovery && served === null;
    if (asked) served = await discover(transport);
    const fresh = await session.read(wants);
    if (fresh === 0 && !asked) break;
  }
  return served;
}
