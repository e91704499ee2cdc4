import type { KubeObject, LimitRange, PodSpec } from '../../model/kinds.ts';
import { attempt } from '../../model/read.ts';
import type { Text } from '../../model/text.ts';
import type { Refusal } from './refusal.ts';
import type { Mutation } from './refusal-mutation.ts';
import { listOf } from '../lists.ts';
import type { Hook } from './webhooks.ts';
import { cutAround, some } from '../words.ts';

type Told = Pick<Refusal, 'amounts' | 'violations' | 'level' | 'hook' | 'asked' | 'who' | 'captures' | 'by'>;

const more = (count: number): string => (count > 0 ? `, and ${count} more` : '');

/** What was refused and why, in one short sentence: a quota's sum, the first field that breaks a Pod Security level; else the row's words. */
export function refusalSays(text: Text, refusal: Told, mutation: Mutation | null, filler: LimitRange | null): string {
  if (filler && mutation?.filled) {
    const { resource, limit, request } = mutation.filled;
    return `LimitRange ${filler.metadata.name} fills in a ${resource} limit of ${limit} where none is set, and ${request} is requested`;
  }
  if (mutation) return `${mutators(refusal)} the ${text.captures['kind'] ?? 'object'} invalid: ${mutation.field}: ${mutation.complaint}`;
  if (refusal.who === 'mutation') return `${mutators(refusal, 'answers')} with a patch that does not fit: ${text.captures['detail'] ?? text.inner}`;
  const over = refusal.amounts.filter((amount) => amount.over > 0);
  const [first] = over.length > 0 ? over : refusal.amounts;
  if (first) {
    const { resource, sum } = first;
    return `${attempt(() => refusal.by)?.kind ?? 'ResourceQuota'} ${text.captures['quota'] ?? ''} has no room for ${resource}: ${sum.slice(resource.length + 2)}${more(over.length - 1)}`;
  }
  const [violation] = refusal.violations;
  // `runAsNonRoot != true (pod or container "app" must set ...)`: the field alone, its remedy is in the whole text.
  if (violation && refusal.level !== '')
    return `Pod Security level ${refusal.level} forbids the pod: ${violation.replace(/ \(.*$/, '')}${more(refusal.violations.length - 1)}`;
  // Made up for each try: it says nothing, and keeps what is the same from looking the same.
  return text.class === 'invalid' && text.captures['kind'] === 'Pod' ? text.says.replace(` ${text.captures['name'] ?? ''} is`, ' is') : text.says;
}

/** `Mutating webhook NAME leaves`, as far as it can be told which. */
function mutators(refusal: Pick<Refusal, 'asked'>, does = 'leaves'): string {
  const hooks = attempt(() => refusal.asked) ?? [];
  const [first] = hooks;
  if (!first) return does === 'leaves' ? 'Admission leaves' : 'A mutating webhook answers';
  return hooks.length === 1
    ? `Mutating webhook ${first.name} ${does}`
    : `One of ${hooks.length} mutating webhooks (${some(hooks.map(({ name }) => name))}) ${does}`;
}

/**
 * The words of whoever refused, at most 500 characters. Pod Security names the remedy of each field behind "must set"
 * (pod-security-admission/policy); put together they are what has to be written.
 */
export function refusalText(text: Text, refusal: Pick<Refusal, 'violations' | 'level'>): string {
  const inner = cutAround(text.inner.replace(/\s+/g, ' '), text.captures['complaint'] ?? text.core, 500);
  const remedies = refusal.violations.map((violation) =>
    /\((?:pod or )?(containers? ".*?"|pod) must (?:not )?set (?:securityContext\.)?(.*)\)$/.exec(violation),
  );
  if (remedies.length < 2 || remedies.some((remedy) => remedy === null)) return inner;
  const byOwner = new Map<string, string[]>();
  for (const [whole = '', owner = '', remedy = ''] of remedies as RegExpExecArray[]) {
    const words = whole.includes(' must not set ') ? `no ${remedy}` : remedy;
    byOwner.set(owner, [...(byOwner.get(owner) ?? []), words]);
  }
  return [...byOwner].map(([owner, words]) => `securityContext of ${owner} must set ${words.join(', ')}`).join('; ');
}

/** The row's line; where it lists all webhook configurations and the one in question is known, that one. */
export function refusalNext(text: Text, refusal: Told & Pick<Refusal, 'authors'>): string {
  if (refusal.who === 'mutation') return lookAt(attempt(() => refusal.authors) ?? []) || 'kubectl get mutatingwebhookconfigurations';
  const by = refusal.who === 'quota' ? attempt(() => refusal.by) : null;
  if (by && !by.metadata.namespace) return `kubectl describe ${by.kind.toLowerCase()} ${by.metadata.name}`;
  const verified = text.class === 'webhook-tls' ? verify(attempt(() => refusal.hook)) : '';
  if (verified) return verified;
  const config = /get \w*webhookconfigurations/.test(text.next) ? attempt(() => refusal.hook)?.config : undefined;
  return config ? lookAt([config]) : text.next;
}

const PLAIN = /^[\w.-]+$/;

/**
 * Whether the certificate behind a webhook is one of its caBundle's. The certificate is read from the Secret that its pods mount;
 * where no Secret can be told, the line shows whose the caBundle is.
 */
function verify(hook: Hook | null | undefined): string {
  if (!hook || ![hook.name, hook.config.metadata.name].every((name) => PLAIN.test(name))) return '';
  const trusted = `kubectl get ${hook.config.kind.toLowerCase()} ${hook.config.metadata.name} -o jsonpath='{.webhooks[?(@.name=="${hook.name}")].clientConfig.caBundle}' | base64 -d`;
  const secret = attempt(() => servedFrom(hook)) ?? '';
  if (!PLAIN.test(secret) || !PLAIN.test(hook.serviceNamespace)) return `${trusted} | openssl x509 -noout -subject -enddate`;
  return `openssl verify -CAfile <(${trusted}) <(kubectl -n ${hook.serviceNamespace} get secret ${secret} -o jsonpath='{.data.tls\\.crt}' | base64 -d)`;
}

/** The Secret with the certificate that the pods behind a webhook serve: the only one that they mount, or the only one whose name says so. */
function servedFrom({ backend }: Hook): string {
  const specs = (backend?.workloads ?? []).map((workload) => (workload['spec'] as { template?: { spec?: PodSpec } } | undefined)?.template?.spec);
  const mounted = [...new Set(specs.flatMap((spec) => listOf(spec?.volumes).flatMap((volume) => volume.secret?.secretName ?? [])))];
  const named = mounted.filter((name) => /cert|tls|\bca\b/.test(name));
  const fitting = mounted.length === 1 ? mounted : named;
  return fitting.length === 1 ? (fitting[0] ?? '') : '';
}

const lookAt = (configs: readonly KubeObject[]): string =>
  configs.length === 0 ? '' : `kubectl get ${configs[0]?.kind.toLowerCase()} ${configs.map(({ metadata }) => metadata.name).join(' ')} -o yaml`;
