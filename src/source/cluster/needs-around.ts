import { type Context, spacesOf } from './context.ts';
import { conditionOf } from './trouble.ts';
import { type Want, listOf, one } from './want.ts';

const MOST_SPACES = 4;

/** Refused writes: the webhooks, policies and limits that the refusals name. */
export function webhooks({ trouble, namespaces }: Context): Want[] {
  if (!trouble.any) return [];
  const wants: Want[] = [];
  // Only the dispatcher of webhooks asks an address with its own time-out.
  if (trouble.says('webhook') || trouble.says('?timeout=')) wants.push(listOf('ValidatingWebhookConfiguration'), listOf('MutatingWebhookConfiguration'));
  // Nobody names the webhooks that used up the time, or that changed what validation then refused.
  else if (trouble.says('request did not complete within')) wants.push(listOf('ValidatingWebhookConfiguration'), listOf('MutatingWebhookConfiguration'));
  else if (['" is invalid: ', 'operation does not apply', 'json: cannot unmarshal'].some((words) => trouble.says(words)))
    wants.push(listOf('MutatingWebhookConfiguration'));
  if (trouble.says('ValidatingAdmissionPolicy')) wants.push(listOf('ValidatingAdmissionPolicy'), listOf('ValidatingAdmissionPolicyBinding'));
  const spaces = namespaces.length > 0 ? namespaces : [undefined];
  // LimitRanger's refusals and defaults; ServiceAccount's.
  if (
    trouble.says('usage per ') ||
    trouble.says('LimitRange') ||
    trouble.says('exceeded quota') ||
    trouble.says('less than or equal to') ||
    trouble.says('failed quota')
  )
    wants.push(...spaces.map((space) => listOf('LimitRange', space)));
  if (trouble.says('serviceaccount') || trouble.says('service account')) wants.push(...spaces.map((space) => listOf('ServiceAccount', space)));
  for (const kind of ['PriorityClass', 'RuntimeClass']) if (trouble.says(kind)) wants.push(listOf(kind));
  return wants;
}

/** Kinds whose conversion fails: by the list that this reading asked for, or by what others tell of theirs. */
export function conversions({ view, trouble }: Context): Want[] {
  const asked = view.failures().filter(({ message }) => message.includes('conversion webhook for'));
  const named = asked.flatMap(({ path }) => {
    const [, group, plural] = /^\/apis\/([^/]+)\/[^/]+\/(?:namespaces\/[^/]+\/)?([a-z0-9-]+)/.exec(path) ?? [];
    return group && plural ? [one('CustomResourceDefinition', undefined, `${plural}.${group}`)] : [];
  });
  return [...named, ...(trouble.says('conversion webhook for') ? [listOf('CustomResourceDefinition')] : [])];
}

interface ServiceRef {
  namespace: string;
  name: string;
}

/**
 * What stands behind the webhooks that refusals name and behind APIServices that are not available: their namespace's
 * Services, endpoints, pods and what makes the pods, because the cause may be there, and the ring may close there.
 */
export function backEnds({ view, trouble }: Context): Want[] {
  const called = trouble.quoted(/https:\/\/([^/":\s]+\.svc)[/":?]/g);
  // What could not be called without saying where; what answered and refused needs no look behind it.
  const named = trouble.quoted(/failed calling webhook "([^"]+)"(?!.*https?:\/\/|.*an error on the server)/g);
  const refs: ServiceRef[] = [];
  for (const kind of ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'] as const) {
    for (const config of view.seen(kind)) {
      for (const hook of config.webhooks ?? []) {
        const { service } = hook.clientConfig ?? {};
        if (service?.namespace && service.name && (called.has(`${service.name}.${service.namespace}.svc`) || named.has(hook.name ?? '')))
          refs.push({ namespace: service.namespace, name: service.name });
      }
    }
  }
  for (const api of view.seen('APIService')) {
    const { service } = api.spec ?? {};
    if (service?.namespace && service.name && conditionOf(api.status?.conditions, 'Available')?.status !== 'True')
      refs.push({ namespace: service.namespace, name: service.name });
  }
  for (const crd of view.seen('CustomResourceDefinition')) {
    const service = (crd.spec?.conversion?.webhook?.clientConfig?.service ?? {}) as { namespace?: string; name?: string };
    if (service.namespace && service.name) refs.push({ namespace: service.namespace, name: service.name });
  }
  const spaces = [...new Set(refs.map((ref) => ref.namespace))].sort().slice(0, MOST_SPACES);
  return spaces.flatMap((namespace) => [
    one('Namespace', undefined, namespace),
    ...['Service', 'EndpointSlice', 'Pod', 'Deployment', 'ReplicaSet', 'Event'].map((kind) => listOf(kind, namespace)),
  ]);
}

/** Names that do not resolve, and Services without endpoints. */
export function names({ view, trouble, namespaces }: Context): Want[] {
  const wants: Want[] = [];
  const dns =
    trouble.any &&
    [
      'no such host',
      'server misbehaving',
      'lookup ',
      'Temporary failure in name resolution',
      'ame or service not known',
      'ould not resolve host',
      'bad address',
      'ENOTFOUND',
      'EAI_AGAIN',
      'UnknownHostException',
      ':53',
    ].some((words) => trouble.says(words));
  if (dns) wants.push(...['Service', 'EndpointSlice', 'Pod', 'Deployment'].map((kind) => listOf(kind, 'kube-system')));
  const unready = trouble.pods.filter((pod) => pod.status?.phase === 'Running');
  for (const namespace of spacesOf([...trouble.services, ...unready]).slice(0, MOST_SPACES)) wants.push(listOf('NetworkPolicy', namespace));
  // The older form says the same, and older roles allow it.
  if (view.missed('EndpointSlice')) wants.push(...(namespaces.length > 0 ? namespaces : [undefined]).map((namespace) => listOf('Endpoints', namespace)));
  return wants;
}

const ROUTES = ['Gateway', 'HTTPRoute'] as const;

/** Ways in from outside: classes and certificates of Ingresses, Gateways and their routes. */
export function routes({ view, trouble, namespaces, afford }: Context): Want[] {
  const wants: Want[] = [];
  const ingresses = view.seen('Ingress');
  if (ingresses.some((ingress) => !ingress.status?.loadBalancer?.ingress?.length)) wants.push(listOf('IngressClass'));
  // One list of names and types, never of values, for all certificates.
  const secured = spacesOf(ingresses.filter((ingress) => ingress.spec?.tls?.length));
  for (const namespace of namespaces.length > 0 ? secured : secured.length > 0 ? [undefined] : [])
    wants.push(listOf('Secret', namespace, { part: 'metadata' }));
  for (const kind of ROUTES) wants.push(...(namespaces.length > 0 ? namespaces : [undefined]).map((namespace) => listOf(kind, namespace)));
  if (view.seen('Gateway').length > 0) wants.push(listOf('GatewayClass'));
  return trouble.any ? wants : wants.filter((want) => afford(want));
}

/** Metrics that do not come: they are an aggregated API. */
export function metrics({ view }: Context): Want[] {
  const blind = view.seen('HorizontalPodAutoscaler').some(({ status }) => {
    const condition = conditionOf(status?.conditions, 'ScalingActive');
    return condition?.status === 'False' && condition.reason !== 'ScalingDisabled';
  });
  return blind ? [listOf('APIService')] : [];
}
