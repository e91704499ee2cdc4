import type { Access, AccessAnswer } from '../../model/access.ts';
import { READINGS, type Reading, resourceOf } from '../../model/reads.ts';
import type { SourceOptions } from '../options.ts';
import { discover } from './discovery.ts';
import { connect } from './kubeconfig.ts';
import { isServedRecording } from './server.ts';
import { type Answer, type Transport, createTransport } from './transport.ts';

interface ResourceRule {
  verbs?: string[];
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
}

type Place = Reading & Pick<AccessAnswer, 'namespace'>;

const HELLO_MS = 10_000;

/**
 * Asks the server what whoever asks may read of that which a diagnosis reads. Raises UserError for faults of the kubeconfig;
 * a server that does not answer is told in `failure`.
 */
export async function readAccess(options: SourceOptions): Promise<Access> {
  const connection = await connect(options.kube ?? {});
  const namespaces = options.all ? [] : options.namespaces?.length ? [...new Set(options.namespaces)] : [connection.namespace];
  const transport = createTransport(connection, options.requestTimeout ? { budget: options.requestTimeout } : {});
  const access: Access = {
    apiVersion: 'kubectl-strata/v1',
    kind: 'Access',
    user: connection.user,
    server: connection.server.href.replace(/\/$/, ''),
    ...(connection.context ? { context: connection.context } : {}),
    askedAt: new Date().toISOString(),
    namespaces,
    answers: [],
    costs: [],
    requests: 0,
  };
  try {
    options.onProgress?.(`asking ${connection.server.host}`);
    const version = await transport.get('/version', { silence: HELLO_MS });
    if (version.code === null) return { ...access, failure: version.message, requests: transport.cost().requests };
    const { gitVersion } = (version.body ?? {}) as { gitVersion?: unknown };
    const [user, served] = await Promise.all([userOf(transport), groupsOf(transport)]);
    if (user.code === 401) return { ...access, failure: user.message, requests: transport.cost().requests };
    const asked = READINGS.filter((reading) => !served || served.has(resourceOf(reading).resource) || resourceOf(reading).group === '');
    const recording = isServedRecording(version);
    const answers = await answersFor(transport, asked, namespaces, recording);
    return {
      ...access,
      ...(typeof gitVersion === 'string' ? { version: gitVersion } : {}),
      user: user.name || access.user,
      ...(recording ? { recording: true as const } : {}),
      answers,
      requests: transport.cost().requests,
    };
  } finally {
    transport.close();
  }
}

// Since 1.28 (authentication.k8s.io/v1).
async function userOf(transport: Transport): Promise<{ name: string; code: number | null; message: string }> {
  const answer = await transport.review('subject', { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' });
  const { status } = (isObject(answer.body) ? answer.body : {}) as { status?: { userInfo?: { username?: string } } };
  return { name: answer.code === 201 ? (status?.userInfo?.username ?? '') : '', code: answer.code, message: answer.message };
}

// What is not installed need not be allowed; null where discovery tells nothing.
async function groupsOf(transport: Transport): Promise<Set<string> | null> {
  const served = await discover(transport);
  return served.length === 0 ? null : new Set(served.map(({ plural }) => plural));
}

async function answersFor(transport: Transport, readings: readonly Reading[], namespaces: readonly string[], recording: boolean): Promise<AccessAnswer[]> {
  const rules = new Map(await Promise.all(namespaces.map(async (namespace) => [namespace, await rulesIn(transport, namespace)] as const)));
  const places = readings.flatMap((reading): Place[] =>
    isLocal(reading) && namespaces.length > 0 ? namespaces.map((namespace) => ({ ...reading, namespace })) : [{ ...reading, namespace: null }],
  );
  // With -A what is read in each namespace and what is read over all of them is the same question.
  const distinct = [...new Map(places.toReversed().map((place) => [`${place.verb} ${place.kind} ${place.namespace ?? ''}`, place])).values()].toReversed();
  return Promise.all(
    distinct.map(async (place): Promise<AccessAnswer> => {
      const known = place.namespace === null ? undefined : rules.get(place.namespace);
      // A ClusterRole bound in a namespace lists cluster-scoped kinds there, too, and grants nothing of them: only local ones are taken from it.
      if (known?.rules.some((rule) => grants(rule, place))) return { ...place, allowed: true };
      if (known?.complete) return { ...place, allowed: false };
      return reviewed(transport, place, namespaces, recording);
    }),
  );
}

/** Read namespace by namespace: not what stands in none, nor what is read everywhere. */
const isLocal = (reading: Reading): boolean => reading.where === 'asked' && resourceOf(reading).namespaced;

async function rulesIn(transport: Transport, namespace: string): Promise<{ rules: ResourceRule[]; complete: boolean }> {
  const answer = await transport.review('rules', { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectRulesReview', spec: { namespace } });
  const { status } = (isObject(answer.body) ? answer.body : {}) as { status?: { resourceRules?: ResourceRule[]; incomplete?: boolean } };
  const rules = answer.code === 201 ? (status?.resourceRules ?? []) : [];
  return { rules, complete: answer.code === 201 && status?.incomplete !== true };
}

function grants({ verbs = [], apiGroups = [], resources = [], resourceNames = [] }: ResourceRule, reading: Reading): boolean {
  const { group, resource } = resourceOf(reading);
  const has = (list: readonly string[], value: string): boolean => list.includes('*') || list.includes(value);
  return resourceNames.length === 0 && has(verbs, reading.verb) && has(apiGroups, group) && has(resources, resource);
}

async function reviewed(transport: Transport, place: Place, namespaces: readonly string[], recording: boolean): Promise<AccessAnswer> {
  const { group, resource } = resourceOf(place);
  const ask = (name?: string): Promise<Answer> =>
    transport.review('access', {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: {
        resourceAttributes: { verb: place.verb, group, resource, ...(place.namespace ? { namespace: place.namespace } : {}), ...(name ? { name } : {}) },
      },
    });
  // A namespace is read by its name, and may be allowed by it.
  const answers = place.kind === 'Namespace' && namespaces.length > 0 ? await Promise.all(namespaces.map(ask)) : [await ask()];
  const said = answers.map(({ code, body, message }) => {
    const { status } = (isObject(body) ? body : {}) as { status?: { allowed?: boolean; reason?: string; evaluationError?: string } };
    // What was not recorded was not refused. Elsewhere an authorizer's error leaves its answer as it is.
    if (recording && status?.allowed === false && status.evaluationError) return { allowed: null, message: status.evaluationError };
    return code === 201 && typeof status?.allowed === 'boolean' ? { allowed: status.allowed, message: status.reason } : { allowed: null, message };
  });
  const worst = said.find(({ allowed }) => allowed === false) ?? said.find(({ allowed }) => allowed === null) ?? said[0];
  return { ...place, allowed: worst?.allowed ?? null, ...(worst?.message ? { message: worst.message } : {}) };
}

const isObject = (body: unknown): boolean => body !== null && typeof body === 'object';
