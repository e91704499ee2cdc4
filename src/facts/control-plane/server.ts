import type { KubeObject } from '../../model/kinds.ts';
import type { Stage } from '../../model/layer.ts';
import type { ApiServer, ConnectionStep, Failure, HealthCheck } from '../../model/server.ts';
import type { Text } from '../../model/text.ts';
import { type Addressed, evidenceAt } from '../address.ts';
import type { Family } from '../family.ts';
import { lazy } from '../lazy.ts';
import { CAUSES, type Cause, groupOfPath, OWN_GROUPS } from './server-causes.ts';
import { hostOf, type ServerWords, wordsOf } from './server-words.ts';
import { timeOf } from '../time.ts';
import { asObject, type World } from '../world.ts';

/** One thing the server did or said, with its address in the reading. */
export interface Proof extends Addressed {
  text: string;
  message: string;
}

export interface Server extends Addressed, ServerWords {
  at: Stage[];
  /** False: it never answered. True also where nothing is known of it (a dump). */
  reached: boolean;
  cause: Cause;
  host: string;
  user: string;
  version: string;
  /** The text that decides, by table `connections`. */
  text: Text;
  /** Everything that was not a success, the decisive one first. */
  proofs: Proof[];
  /** Health checks that failed, by name. */
  checks: string[];
  /** Storage does not answer: by its health check or by its own texts. */
  etcd: boolean;
  /** /readyz could not be asked: says nothing of health. */
  healthUnknown: boolean;
  /** `expired`, `not yet valid`, or '' where dates are right or were not seen. */
  certificate: string;
}

interface Deciding {
  cause: Cause;
  proof: Proof | null;
}

/** The facts of the API server that was read, or could not be. */
export function serverFacts(world: World): Server {
  const { server } = world.snapshot;
  return world.memo(server, 'server', () => {
    const deciding = (): Deciding => world.memo(server, 'server:deciding', () => decide(world, server));
    const words = (): ServerWords =>
      world.memo(server, 'server:words', () => {
        const { cause, text, certificate, checks } = facts;
        return wordsOf(server, { cause, text, certificate, checks, now: world.now, proof: deciding().proof?.text ?? '' });
      });
    const facts: Server = lazy<Server>({
      at: () => (facts.cause === '' ? ['goal'] : ['connect']),
      reached: () => server.reached !== false,
      cause: () => deciding().cause,
      host: () => hostOf(server),
      user: () => server.user ?? '',
      version: () => server.version ?? '',
      text: () => textOf(world, deciding().proof),
      says: () => words().says,
      expected: () => words().expected,
      actual: () => words().actual,
      conclusion: () => words().conclusion,
      look: () => words().look,
      after: () => words().after,
      proofs: () => proofsOf(server, deciding().proof),
      checks: () => [
        ...new Set(
          failedChecks(server)
            .map(({ item }) => item.check)
            .filter(Boolean),
        ),
      ],
      etcd: () => isEtcd(world, server) !== null,
      healthUnknown: () => server.reached === true && !server.health.some((check) => check.path === '/readyz'),
      certificate: () => certificateState(world, server),
      evidence: () => deciding().proof?.evidence ?? evidenceAt(asObject(world), '/endpoint', `API server ${server.endpoint}`),
    });
    return facts;
  });
}

interface Placed<T> {
  item: T;
  pointer: string;
}
const place = <T>(list: readonly T[], field: string, keep: (item: T) => boolean): Placed<T>[] =>
  list.map((item, index) => ({ item, pointer: `/${field}/${index}` })).filter(({ item }) => keep(item));

const failedSteps = (server: ApiServer): Placed<ConnectionStep>[] => place(server.connection, 'connection', (step) => !step.ok);
const failedChecks = (server: ApiServer): Placed<HealthCheck>[] =>
  place(server.health, 'health', (check) => !check.ok && ![401, 403, 404].includes(check.code ?? 0) && !isDisproved(server, check));
const failuresOf = (server: ApiServer, keep: (failure: Failure) => boolean): Placed<Failure>[] => place(server.failures, 'failures', keep);

/**
 * The health check of etcd has two seconds (apiserver, storage/factory/etcd3.go) and fails on a busy machine; a read that
 * storage answered in the same run says that it is there. A check as a whole fails with any of its parts.
 */
function isDisproved(server: ApiServer, { path, check }: HealthCheck): boolean {
  if (server.consistentRead !== true) return false;
  const failed = server.health.filter((each) => each.path === path && !each.ok && each.check !== '');
  return check === '' ? failed.length > 0 && failed.every((each) => each.check.startsWith('etcd')) : check.startsWith('etcd');
}

const proofAt = (server: ApiServer, pointer: string, text: string, message: string, time?: string): Proof => ({
  text,
  message,
  evidence: evidenceAt(server as unknown as KubeObject, pointer, text, time ?? null),
});

/** Node's messages often begin with their own code. */
const coded = (code: string, message: string): string =>
  message === '' || message.toUpperCase().includes(code.toUpperCase()) ? message || code : `${message} (${code})`;

const stepProof = (server: ApiServer, { item, pointer }: Placed<ConnectionStep>): Proof =>
  proofAt(server, pointer, `${item.step} to ${hostOf(server)} failed: ${coded(item.code ?? '', item.message ?? '')}`, item.message || item.code || '');
const checkProof = (server: ApiServer, { item, pointer }: Placed<HealthCheck>): Proof => {
  const said = (item.message ?? '').replace(/^failed: /, '');
  return proofAt(
    server,
    pointer,
    `${item.path}${item.check ? ` check ${item.check}` : ''} failed${item.code ? ` with ${item.code}` : ''}${said ? ` (${said})` : ''}`,
    item.check ? `[-]${item.check} failed` : (item.message ?? ''),
  );
};
const failureProof = (server: ApiServer, { item, pointer }: Placed<Failure>): Proof =>
  proofAt(
    server,
    pointer,
    `GET ${item.path}${item.code === null ? '' : ` answered HTTP ${item.code}`}: ${item.message || item.reason || 'no answer'}`,
    item.message || (item.code === null ? (item.reason ?? '') : `HTTP ${item.code} ${item.reason ?? ''}`.trim()),
    item.at,
  );

/**
 * The first thing on the way that broke: connection, identity, storage, the server's own readiness, its answers, permission.
 * A refused /readyz (401, 403, 404) is no sign of health or sickness.
 */
function decide(world: World, server: ApiServer): Deciding {
  if (server.reached === null) return { cause: '', proof: null };
  const step = failedSteps(server)[0];
  if (step) return { cause: causeOfStep(world, server, step.item), proof: stepProof(server, step) };
  const denied = failuresOf(server, (failure) => failure.code === 401)[0];
  if (denied) return { cause: 'unauthorized', proof: failureProof(server, denied) };
  if (server.reached === false) {
    const silent = failuresOf(server, () => true)[0];
    return { cause: 'http', proof: silent ? failureProof(server, silent) : null };
  }
  const etcd = isEtcd(world, server);
  if (etcd) return { cause: 'etcd', proof: etcd };
  const unready =
    failedChecks(server).find(({ item }) => item.path === '/readyz' && item.check !== '') ?? failedChecks(server).find(({ item }) => item.path === '/readyz');
  if (unready) return { cause: 'unready', proof: checkProof(server, unready) };
  const failing = failuresOf(server, (failure) => (failure.code === null || failure.code >= 500) && OWN_GROUPS.has(groupOfPath(failure.path)))[0];
  if (failing) return { cause: 'failing', proof: failureProof(server, failing) };
  const shed = failuresOf(server, (failure) => failure.code === 429)[0];
  if (shed) return { cause: 'throttled', proof: failureProof(server, shed) };
  const forbidden = failuresOf(server, (failure) => failure.code === 403)[0];
  const seen = world.snapshot.coverage.some((entry) => entry.state === 'complete');
  if (forbidden && !seen) return { cause: 'forbidden', proof: failureProof(server, forbidden) };
  return { cause: '', proof: null };
}

function causeOfStep(world: World, server: ApiServer, { step, code, message }: ConnectionStep): Cause {
  if (step !== 'tls') return step;
  const broken = certificateState(world, server) !== '' || /CERT|SELF_SIGNED|ALTNAME|certificate/i.test(`${code ?? ''} ${message ?? ''}`);
  return broken ? 'certificate' : 'tls';
}

/** The health check of that name, or a text that etcd itself wrote. That it has no leader says more than that a check failed. */
function isEtcd(world: World, server: ApiServer): Proof | null {
  const classOf = ({ message }: Failure): string => (message === '' ? '' : world.classify('connections', message).class);
  const check = failedChecks(server).find(({ item }) => /^etcd/.test(item.check));
  const leaderless = check ? failuresOf(server, (failure) => classOf(failure) === 'etcd-no-leader')[0] : undefined;
  if (leaderless) return failureProof(server, leaderless);
  if (check) return checkProof(server, check);
  const told = failuresOf(server, (failure) => classOf(failure).startsWith('etcd'))[0];
  return told ? failureProof(server, told) : null;
}

function certificateState(world: World, { certificate }: ApiServer): string {
  if (!certificate) return '';
  const from = timeOf(certificate.notBefore);
  const until = timeOf(certificate.notAfter);
  if (until !== null && until < world.now) return 'expired';
  return from !== null && from > world.now ? 'not yet valid' : '';
}

function proofsOf(server: ApiServer, first: Proof | null): Proof[] {
  const all = [
    ...failedSteps(server).map((each) => stepProof(server, each)),
    ...failedChecks(server).map((each) => checkProof(server, each)),
    ...failuresOf(server, (failure) => failure.code !== 403 && failure.code !== 404).map((each) => failureProof(server, each)),
    // The same error again, of a request that needed the same step.
  ].filter((proof) => proof.evidence.pointer !== first?.evidence.pointer && (first === null || proof.message !== first.message));
  return [...(first ? [first] : []), ...all].slice(0, 12);
}

function textOf(world: World, proof: Proof | null): Text {
  const text = world.classify('connections', proof?.message ?? '');
  // A bare code (CERT_HAS_EXPIRED, 503) stands in the words around it.
  return text.class === 'unknown' && proof ? world.classify('connections', proof.text) : text;
}

export const family: Family = {
  name: 'server',
  doc: 'The API server as seen from here: how far the connection came, what its health checks say, what it refused.',
  types: {
    Server: {
      at: { type: 'list<string>', doc: '`connect` where it cannot be asked or is not well, else `goal`' },
      reached: { type: 'bool', doc: 'it answered something; true for a dump' },
      cause: { type: 'string', doc: "the first thing on the way that broke, or ''", oneOf: CAUSES },
      host: { type: 'string', doc: 'host and port' },
      user: { type: 'string', doc: "user of the kubeconfig, or ''" },
      version: { type: 'string', doc: "server version, or ''" },
      text: { type: 'Text', doc: 'the text that decides, by table `connections`' },
      says: { type: 'string', doc: 'what is wrong, as a heading' },
      expected: { type: 'string', doc: 'what should have happened, in words' },
      actual: { type: 'string', doc: 'what happened, in words' },
      conclusion: { type: 'string', doc: 'what follows from it, in words' },
      look: { type: 'string', doc: "the look that confirms it, or ''" },
      after: { type: 'string', doc: "the one after it, or ''" },
      proofs: { type: 'list<Proof>', doc: 'everything that was no success, the decisive one first' },
      checks: { type: 'list<string>', doc: 'failed health checks by name' },
      etcd: { type: 'bool', doc: 'storage does not answer' },
      healthUnknown: { type: 'bool', doc: '/readyz could not be asked, which says nothing' },
      certificate: { type: 'string', doc: "what is wrong with the dates of its certificate, or ''", oneOf: ['expired', 'not yet valid', ''] },
      evidence: { type: 'Evidence', doc: 'the decisive step, check or answer' },
    },
    Proof: {
      text: { type: 'string', doc: 'in words' },
      message: { type: 'string', doc: 'verbatim' },
      evidence: { type: 'Evidence', doc: 'its address' },
    },
  },
  variables: [{ name: 'server', kinds: ['APIServer'], type: 'Server', doc: 'the API server', of: (world) => serverFacts(world) }],
  functions: [{ name: 'apiServer', args: [], returns: 'Server', doc: 'The API server, for rules about other objects.', call: (world) => serverFacts(world) }],
};
