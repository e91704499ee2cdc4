import type { ApiServer, Failure } from '../../model/server.ts';
import { type TypedTarget, resolveType } from '../targets.ts';
import { DISCOVERY, type Served, discover } from './discovery.ts';
import { askLeader, checkHealth } from './health.ts';
import type { Kept } from './kept.ts';
import { failureOf, type Listed } from './list.ts';
import { needed } from './needs.ts';
import { note } from './server.ts';
import type { Session } from './session.ts';
import { localNow } from './skew.ts';
import { consistentPath, definitionWants, firstStage, namedWants, targetWants } from './stage.ts';
import type { Answer, Transport } from './transport.ts';
import { findTrouble } from './trouble.ts';

/** What a healthy scope may cost in requests, pages apart. */
const HEALTHY_BUDGET = 25;
/** /version, /readyz, /livez and the consistent read. */
const FIXED = 4;
const ROUNDS = 6;
/** Kinds that the plan asks for everywhere, and not every cluster has. */
const OPTIONAL = new Set(['Gateway', 'HTTPRoute']);

/** One reading of a server that answers. */
export interface Reading {
  transport: Transport;
  namespaces: readonly string[];
  typed: readonly TypedTarget[];
  session: Session;
  /** What is learnt of the server is put down here. */
  server: ApiServer;
  version: Answer;
  /** Aborted when consistent reads turn out not to work. */
  stale: AbortController;
  readConsistently(): Promise<Answer>;
  kept?: Kept;
}

/** Reads the scope and whatever it turns out to need, into the session. Gives the types the server serves, null where nobody asked. */
export async function readScope(reading: Reading): Promise<Served[] | null> {
  const { transport, namespaces, typed, session, server, kept } = reading;
  let served = kept?.served ?? null;
  const foreign = typed.filter((target) => target.type !== '' && !resolveType(target.type));
  const health = askHealth(reading);
  const consistent = askStorage(reading);
  const leader = leaderOnceStale(reading);
  let untold = false;
  const untoldBy = (answer: Answer): void => {
    untold = true;
    note(server, failureOf(DISCOVERY, answer));
  };
  const types = foreign.length > 0 ? (served ?? discover(transport, untoldBy)) : null;
  await session.read([...firstStage(namespaces), ...targetWants(typed, namespaces, [])]);
  noteHealth(reading, await health);
  noteStorage(reading, await consistent);
  note(server, await leader());
  if (types) {
    served = await types;
    // A look at one moment judges by what is written on the resource itself.
    await session.read([...targetWants(foreign, namespaces, served), ...(kept ? definitionWants(foreign, served) : [])]);
  }
  await session.read(namedWants(typed, namespaces, served ?? [], (kind) => session.view().missed(kind)));
  served = await followUp(session, transport, namespaces, served);
  served = await settleOptional(session, transport, served);
  // What could not be told now may be told at the next look.
  if (kept && !untold) kept.served = served;
  noteLostConnection(server, session.found());
  return served;
}

type Health = Awaited<ReturnType<typeof checkHealth>>;

function askHealth({ transport, stale, kept }: Reading): Promise<Health[]> {
  const paths = kept?.looked ? [] : (['/readyz', '/livez'] as const);
  return Promise.all(
    paths.map(async (path) => {
      const asked = await checkHealth(path, transport);
      if (asked.checks.some((check) => check.check === 'etcd' && !check.ok)) stale.abort();
      return asked;
    }),
  );
}

function noteHealth({ server, kept }: Reading, health: readonly Health[]): void {
  for (const { path, checks, answer } of health) {
    server.health.push(...checks);
    if (answer.code === null) note(server, failureOf(path, answer));
  }
  if (kept && !kept.looked) kept.looked = server.health.length > 0 && server.health.every((check) => check.ok);
}

/** Asked beside everything else, as soon as storage is known not to answer. */
function leaderOnceStale({ transport, stale: { signal }, namespaces }: Reading): () => Promise<Failure | undefined> {
  let asked: Promise<Failure | undefined> | undefined;
  const ask = (): void => void (asked ??= askLeader(namespaces[0], transport));
  if (signal.aborted) ask();
  signal.addEventListener('abort', ask, { once: true });
  return () => asked ?? Promise.resolve(undefined);
}

async function askStorage({ stale, kept, readConsistently }: Reading): Promise<Answer> {
  const answer = await (kept?.beat ? Promise.resolve(kept.beat.answer) : readConsistently());
  if (isUnserved(answer)) stale.abort();
  return answer;
}

function noteStorage({ server, namespaces, version, kept }: Reading, answer: Answer): void {
  if (kept?.store) Object.assign(kept, { version, beat: kept.beat ?? { at: localNow(), answer } });
  if (answer.code === 200) server.consistentRead = true;
  // Given up for what /readyz said, it says nothing itself.
  if (!isUnserved(answer) || answer.reason === 'ABORT_ERR') return;
  server.consistentRead = false;
  note(server, failureOf(consistentPath(namespaces).replace(/\?.*/, ''), answer));
}

const isUnserved = (answer: Answer): boolean => answer.code === null || answer.code >= 500;

/** Who may do nothing is refused before the server looks whether there is such a resource at all (apiserver, filters/authorization.go). */
async function settleOptional(session: Session, transport: Transport, known: Served[] | null): Promise<Served[] | null> {
  const optional = session.found().filter(({ coverage }) => coverage.state === 'forbidden' && OPTIONAL.has(coverage.kind));
  if (optional.length === 0) return known;
  const served = known ?? (await discover(transport));
  for (const { coverage } of optional) {
    if (served.length === 0 || served.some(({ kind }) => kind === coverage.kind)) continue;
    Object.assign(coverage, { state: 'not-served', code: 404, message: 'discovery does not name it' });
  }
  return served;
}

/** Where no list was answered at all, the way to the server broke after its first answer. */
function noteLostConnection(server: ApiServer, listed: readonly Listed[]): void {
  const lost = listed.find(({ coverage, failure }) => coverage.state === 'failed' && failure?.code === null);
  if (!lost || !listed.every(({ failure }) => failure?.code === null)) return;
  const { reason, message = '' } = lost.failure ?? {};
  const broken = { step: 'http', ok: false, ...(reason ? { code: reason } : {}), message } as const;
  server.connection = server.connection.map((step) => (step.step === 'http' ? broken : step));
}

async function followUp(session: Session, transport: Transport, namespaces: readonly string[], known: Served[] | null): Promise<Served[] | null> {
  let served = known;
  for (let round = 0; round < ROUNDS; round++) {
    const view = session.view();
    let discovery = false;
    let spare = HEALTHY_BUDGET - FIXED - session.spent() - (served ? 1 : 0);
    const trouble = findTrouble(view, namespaces);
    const wants = needed({
      view,
      trouble,
      namespaces,
      served,
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
