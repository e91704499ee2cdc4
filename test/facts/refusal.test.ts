import { describe, expect, it } from 'vitest';
import { refusalIn } from '../../src/facts/admission/refusal-family.ts';
import { type Refusal, refusalOf } from '../../src/facts/admission/refusal.ts';
import { splitTop } from '../../src/facts/lists.ts';
import { refuserOf, WHO } from '../../src/facts/admission/refusal-who.ts';
import { Unknown } from '../../src/model/read.ts';
import type { KubeObject } from '../../src/model/kinds.ts';
import { before, deployment, event, forbidden, job, object, pod, replicaSet, service, statefulSet } from '../build.ts';
import { tables, worldWith } from './texts.ts';

const web = deployment('web');
const failing = (message: string, reason = 'FailedCreate', replicas = 0): KubeObject =>
  replicaSet('web-6d4b', web, {
    spec: { replicas: 2 },
    status: { replicas, conditions: [{ type: 'ReplicaFailure', status: 'True', reason, message, lastTransitionTime: before(300) }] },
  });

const QUOTA = 'pods "web-6d4b-x2p5v" is forbidden: exceeded quota: team, requested: requests.cpu=500m, used: requests.cpu=9800m, limited: requests.cpu=10';
const quota = (used: string): KubeObject =>
  object('v1', 'ResourceQuota', 'team', { spec: { hard: { 'requests.cpu': '10' } }, status: { hard: { 'requests.cpu': '10', pods: '20' }, used: { 'requests.cpu': used, pods: '20' } } });

describe('who refused a write, and what', () => {
  const cases: [string, string, Record<string, unknown>][] = [
    ['quota', QUOTA, { resource: 'pods', target: 'web-6d4b-x2p5v', verb: 'create' }],
    ['limitrange', 'pods "web-x" is forbidden: maximum cpu usage per Container is 1, but limit is 2', { resource: 'pods' }],
    ['pod-security', 'pods "web-x" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false (containers "a", "b" must set securityContext.allowPrivilegeEscalation=false), runAsNonRoot != true (pod or container "a" must set securityContext.runAsNonRoot=true)', {
      level: 'restricted',
      violations: [
        'allowPrivilegeEscalation != false (containers "a", "b" must set securityContext.allowPrivilegeEscalation=false)',
        'runAsNonRoot != true (pod or container "a" must set securityContext.runAsNonRoot=true)',
      ],
    }],
    ['webhook', 'admission webhook "guard.example.com" denied the request: no owner label', {}],
    ['webhook-call', 'Internal error occurred: failed calling webhook "guard.example.com": failed to call webhook: Post "https://guard.ops.svc:443/v?timeout=10s": no endpoints available for service "guard"', {}],
    ['policy', 'pods "web-x" is forbidden: ValidatingAdmissionPolicy \'small\' with binding \'small-deny\' denied request: failed expression: object.spec.replicas <= 5', {}],
    ['serviceaccount', 'pods "web-" is forbidden: error looking up service account shop/web: serviceaccount "web" not found', { account: 'shop/web', target: 'web-' }],
    ['priorityclass', 'pods "web-" is forbidden: no PriorityClass with name high was found', {}],
    ['runtimeclass', 'pods "web-" is forbidden: pod rejected: RuntimeClass "kata" not found', {}],
    ['namespace', 'pods "web-" is forbidden: unable to create new content in namespace shop because it is being terminated', {}],
    ['rbac', 'pods is forbidden: User "system:serviceaccount:ops:operator" cannot create resource "pods" in API group "" in the namespace "shop"', {
      user: 'system:serviceaccount:ops:operator', account: 'ops/operator', verb: 'create', resource: 'pods',
    }],
    ['schema', 'Pod "web-x" is invalid: spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1', {
      resource: 'Pod', target: 'web-x', field: 'spec.containers[0].resources.requests', layer: 'api',
    }],
    ['mutation', 'Internal error occurred: replace operation does not apply: doc is missing path: /spec/volumes/7/name: missing value', { layer: 'admission' }],
    ['conflict', 'Operation cannot be fulfilled on pods "web": the object has been modified; please apply your changes to the latest version and try again', { resource: 'pods', target: 'web' }],
    ['throttling', 'Too many requests, please try again later.', {}],
    ['storage', 'etcdserver: mvcc: database space exceeded', {}],
    ['timeout', 'Timeout: request did not complete within requested timeout - context deadline exceeded', {}],
    ['', 'something nobody has written down yet', {}],
  ];
  it.each(cases)('%s', (who, message, fields) => {
    const set = failing(message);
    expect(refusalOf(worldWith([web, set]), set)).toMatchObject({ who, source: 'condition', message, ...fields });
  });

  it('says in one short sentence what a quota lacks and what breaks a Pod Security level', () => {
    const said = (message: string, ...others: KubeObject[]): Pick<Refusal, 'says' | 'next' | 'text'> => {
      const set = failing(message);
      const refusal = refusalOf(worldWith([web, set, ...others]), set);
      if (!refusal) throw new Error('no refusal');
      return refusal;
    };
    expect(said(QUOTA).says).toBe('ResourceQuota team has no room for requests.cpu: 9800m used + 500m asked > 10');
    const two = 'pods "web-x" is forbidden: exceeded quota: team, requested: limits.cpu=1,pods=1,requests.cpu=500m, used: limits.cpu=1,pods=20,requests.cpu=9800m, limited: limits.cpu=5,pods=20,requests.cpu=10';
    expect(said(two).says).toBe('ResourceQuota team has no room for pods: 20 used + 1 asked > 20, and 1 more');
    const field = (name: string): string => `${name} != true (pod or containers "app", "log" must set securityContext.${name}=true)`;
    const security = said(`pods "web-x" is forbidden: violates PodSecurity "restricted:latest": ${field('runAsNonRoot')}, ${field('readOnly')}, ${field('other')}`);
    expect(security.says).toBe('Pod Security level restricted forbids the pod: runAsNonRoot != true, and 2 more');
    expect(security.text).toBe('securityContext of containers "app", "log" must set runAsNonRoot=true, readOnly=true, other=true');
    const hook = object('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', 'guards', { webhooks: [{ name: 'guard.example.com', clientConfig: { service: { name: 'guard', namespace: 'ops' } } }] });
    const call = 'Internal error occurred: failed calling webhook "guard.example.com": failed to call webhook: Post "https://guard.ops.svc:443/v?timeout=10s": service "guard" not found';
    expect(said(call, hook)).toMatchObject({ says: 'Webhook guard.example.com guards this write, and its Service ops/guard does not exist', next: 'kubectl get validatingwebhookconfiguration guards -o yaml' });
    expect(said(call).next).toContain('kubectl get validatingwebhookconfigurations,');
  });

  it('has an author for every class of the table', () => {
    const classes = tables.find((table) => table.family === 'api-refusals')?.rows.map((row) => row.class) ?? [];
    expect(classes.length).toBeGreaterThan(50);
    for (const each of classes) expect(WHO.filter(Boolean), each).toContain(refuserOf(each).who);
    const finer = ['webhook-denied-silently', 'webhook-tls-expired', 'quota-must-specify', 'etcd-too-large', 'etcd-leader', 'policy-error'];
    expect(finer.map((each) => refuserOf(each).who)).toEqual(['webhook', 'webhook-call', 'quota', 'schema', 'storage', 'policy']);
  });

  it('splits lists only between their entries', () => {
    expect(splitTop('a (b, c), d "e, f", g')).toEqual(['a (b, c)', 'd "e, f"', 'g']);
  });
});

describe('whether a refusal is current', () => {
  const message = 'create Pod db-0 in StatefulSet db failed error: pods "db-0" is forbidden: no PriorityClass with name high was found';
  const short = statefulSet('db', { spec: { replicas: 1 }, status: { replicas: 0, updatedReplicas: 0, readyReplicas: 0 } });
  const failed = event(short, 'FailedCreate', message, 120, { count: 9 });
  const full = statefulSet('db');
  const cases: [string, KubeObject, KubeObject[], string | null][] = [
    ['an event, and the pod still missing', short, [failed], 'priorityclass-missing'],
    ['the pod is there', full, [event(full, 'FailedCreate', message, 120)], null],
    ['a success since', short, [failed, event(short, 'SuccessfulCreate', 'create Pod db-0 in StatefulSet db successful', 60)], null],
    ['a success before', short, [failed, event(short, 'SuccessfulCreate', 'create Claim data-db-0 Pod db-0 in StatefulSet db success', 600)], 'priorityclass-missing'],
    ['nothing told', short, [], null],
    ['a finished Job', job('j', { status: { active: 0, conditions: [{ type: 'Failed', status: 'True' }] } }), [], null],
    ['a ReplicaSet at its size with an old condition', failing(QUOTA, 'FailedCreate', 2), [], null],
    ['a refused deletion of a surplus pod', failing('pods "web-x" is forbidden: admission is off', 'FailedDelete', 3), [], 'forbidden'],
  ];
  it.each(cases)('%s', (_name, target, events, expected) => {
    expect(refusalOf(worldWith([target, ...events]), target)?.class ?? null).toBe(expected);
  });

  it('counts the events of one shape', () => {
    expect(refusalOf(worldWith([short, failed]), short)).toMatchObject({ count: 9, source: 'event', target: 'db-0', resource: 'pods' });
  });

  it('is unknown where only an event could tell and events were not read', () => {
    expect(() => refusalOf(worldWith([short], { coverage: [forbidden('Event')] }), short)).toThrow(Unknown);
  });

  it('needs no event where a condition tells', () => {
    const set = failing(QUOTA);
    expect(refusalOf(worldWith([set], { coverage: [forbidden('Event')] }), set)?.class).toBe('quota-exceeded');
  });

  it('asks nothing of an object that lacks nothing', () => {
    expect(refusalOf(worldWith([full], { coverage: [forbidden('Event')] }), full)).toBeNull();
  });
});

describe('quota arithmetic', () => {
  const amounts = (used: string) => {
    const set = failing(QUOTA);
    return refusalOf(worldWith([set, quota(used)]), set);
  };

  it('shows the sum and the quota', () => {
    const refusal = amounts('9800m');
    expect(refusal?.amounts[0]).toMatchObject({ resource: 'requests.cpu', requested: 0.5, used: 9.8, limited: 10, fitsNow: false, usedNow: 9.8 });
    expect(refusal?.amounts[0]?.over).toBeCloseTo(0.3);
    expect(refusal?.amounts[0]?.evidence).toMatchObject({ pointer: '/status/used/requests.cpu', value: '9800m' });
    expect(refusal).toMatchObject({ fitsNow: false, by: { kind: 'ResourceQuota' } });
  });

  it('sees that there is room again while the controller backs off', () => {
    expect(amounts('9')?.fitsNow).toBe(true);
  });

  it('does not know where the quota was not read', () => {
    const set = failing(QUOTA);
    const refusal = refusalOf(worldWith([set], { coverage: [forbidden('ResourceQuota')] }), set);
    expect(() => refusal?.fitsNow).toThrow(Unknown);
    expect(refusal?.amounts[0]?.over).toBeCloseTo(0.3);
  });
});

describe('what a refusal leads to', () => {
  const text = 'Internal error occurred: failed calling webhook "guard.example.com": failed to call webhook: Post "https://guard.ops.svc:443/v?timeout=10s": no endpoints available for service "guard"';
  const config = object('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', 'guard', {
    webhooks: [{
      name: 'guard.example.com', failurePolicy: 'Fail', clientConfig: { service: { name: 'guard', namespace: 'ops' } },
      rules: [{ operations: ['*'], apiGroups: ['*'], resources: ['pods'] }],
    }],
  });
  const backend = service('guard', { metadata: { namespace: 'ops' } });
  const guard = deployment('guard', { metadata: { namespace: 'ops' } });
  const set = failing(text);

  it('from the text to the webhook, its Service, and nothing behind it', () => {
    const refusal = refusalOf(worldWith([set, config, backend, guard]), set);
    expect(refusal).toMatchObject({ by: { metadata: { name: 'guard' } }, service: { metadata: { name: 'guard' } }, backend: { ready: 0 } });
    expect(refusal?.hook).toMatchObject({ policy: 'Fail', gone: false, empty: true, guardsItself: true });
  });

  it('sees that the namespace of its own back end is left out', () => {
    const webhooks = [{ ...(config['webhooks'] as object[])[0], namespaceSelector: { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['ops'] }] } }];
    const refusal = refusalOf(worldWith([set, { ...config, webhooks }, backend, guard]), set);
    expect(refusal?.hook?.guardsItself).toBe(false);
  });

  it('names the webhooks on the way where only the time ran out, failing open or not', () => {
    const late = failing('Timeout: request did not complete within requested timeout - context deadline exceeded');
    const open = object('admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration', 'open', {
      webhooks: [{ name: 'alive.example.com', failurePolicy: 'Ignore', clientConfig: { url: 'https://192.0.2.1' }, rules: [{ operations: ['CREATE'], apiGroups: [''], resources: ['pods'] }] },
        { name: 'other.example.com', rules: [{ operations: ['CREATE'], apiGroups: ['apps'], resources: ['deployments'] }] }],
    });
    const refusal = refusalOf(worldWith([late, open, config, backend, guard]), late);
    expect(refusal?.asked.map((each) => each.name)).toEqual(['guard.example.com', 'alive.example.com']);
    expect(() => refusalOf(worldWith([late], { coverage: [forbidden('MutatingWebhookConfiguration')] }), late)?.asked).toThrow(Unknown);
    expect(refusalOf(worldWith([set, config]), set)?.asked).toEqual([]);
    expect(refusal?.suspects).toBe('Likely one of the webhooks asked on the way: guard.example.com (10s), alive.example.com (10s).');
    expect(refusalOf(worldWith([late]), late)?.suspects).toBe('');
    expect(refusalOf(worldWith([late, config]), late)?.suspects).toBe('Likely: webhook guard.example.com (10s).');
  });

  it('is one of a Deployment and its ReplicaSet, whichever of them tells of it', () => {
    const above = deployment('web', {
      metadata: { generation: 1 },
      spec: { replicas: 1 },
      status: { observedGeneration: 1, replicas: 0, updatedReplicas: 0 },
    });
    const says = (object: KubeObject, message: string): KubeObject => ({
      ...object,
      status: {
        ...(object['status'] as object),
        conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message, lastTransitionTime: before(300) }],
      },
    });
    const below = replicaSet('web-1', above, { spec: { replicas: 1 }, status: { observedGeneration: 1, replicas: 0 } });
    const messages = (...objects: KubeObject[]) => objects.slice(0, 2).map((object) => refusalOf(worldWith(objects), object)?.message);
    expect(messages(says(above, QUOTA), below)).toEqual([QUOTA, QUOTA]);
    // The Deployment's is a copy, so it is the older one where they differ.
    expect(messages(says(above, QUOTA), says(below, text))).toEqual([text, text]);
    expect(messages(above, below)).toEqual([undefined, undefined]);
  });

  it('knows the webhook behind a call that is quoted without its name', () => {
    const late = failing('Internal error occurred: Post "https://guard.ops.svc:443/v?timeout=10s": context deadline exceeded');
    const at = (path: string) => object('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', `guard${path.length}`, {
      webhooks: [{ name: 'guard.example.com', clientConfig: { service: { name: 'guard', namespace: 'ops', path } } }],
    });
    expect(refusalOf(worldWith([late, at('/v'), backend]), late)).toMatchObject({
      class: 'webhook-timeout', who: 'webhook-call', guessed: true, layer: 'admission', says: 'Webhook guard.example.com guards this write and did not answer within its timeout',
      text: 'Post "https://guard.ops.svc:443/v?timeout=10s": context deadline exceeded',
    });
    expect(refusalOf(worldWith([late, at('/other'), backend]), late)).toMatchObject({ class: 'internal', guessed: false, hook: null });
    const elsewhere = failing('Internal error occurred: Post "https://guard.ops.svc:443/v": context deadline exceeded');
    expect(refusalOf(worldWith([elsewhere, at('/v'), backend]), elsewhere)?.guessed).toBe(false);
  });

  it('shows how to tell whether a caBundle fits what is served', () => {
    const untrusted = failing(
      'Internal error occurred: failed calling webhook "guard.example.com": failed to call webhook: Post "https://guard.ops.svc:443/v?timeout=10s": x509: certificate signed by unknown authority',
    );
    const bundle =
      '<(kubectl get validatingwebhookconfiguration guard -o jsonpath=\'{.webhooks[?(@.name=="guard.example.com")].clientConfig.caBundle}\' | base64 -d)';
    const mounting = (...secrets: string[]): KubeObject => ({
      ...guard,
      spec: {
        selector: { matchLabels: { app: 'guard' } },
        template: {
          metadata: { labels: { app: 'guard' } },
          spec: { volumes: secrets.map((secretName) => ({ name: secretName, secret: { secretName } })) },
        },
      },
    });
    const next = (...objects: KubeObject[]) => refusalOf(worldWith([untrusted, ...objects]), untrusted)?.next;
    const checked = `openssl verify -CAfile ${bundle} <(kubectl -n ops get secret guard-tls -o jsonpath='{.data.tls\\.crt}' | base64 -d)`;
    expect(next(config, backend, mounting('guard-tls'))).toBe(checked);
    expect(next(config, backend, mounting('settings', 'guard-tls'))).toBe(checked);
    expect(next(config, backend, mounting('a', 'b'))).toBe(`${bundle.slice(2, -1)} | openssl x509 -noout -subject -enddate`);
    expect(next()).toMatch(/^kubectl get validatingwebhookconfigurations,.* grep -F -e guard\.example\.com .* openssl x509/);
  });

  it('tells a pod that was changed on the way in from one that its template makes invalid', () => {
    const changed = (complaint: string) => {
      const set = failing(`Pod "web-x" is invalid: ${complaint}`);
      return refusalOf(worldWith([set]), set)?.who;
    };
    // The template of `failing` has one container with an image.
    expect(changed('spec.containers[0].image: Required value')).toBe('mutation');
    expect(changed('spec.containers[1].image: Required value')).toBe('mutation');
    expect(changed('spec.initContainers[1].name: Duplicate value: "mesh"')).toBe('mutation');
    expect(changed('spec.containers[0].volumeMounts[3].mountPath: Invalid value: "/run": must be unique')).toBe('mutation');
    expect(changed('[spec.volumes[0].name: Not found: "x", spec.containers[0].image: Invalid value: " x": must not have leading or trailing whitespace]')).toBe('mutation');
    expect(changed('spec.containers[0].image: Invalid value: "registry.example/app:1": no')).toBe('schema');
    // What a controller or a built-in plugin adds, what the template leaves out, what cannot be compared.
    expect(changed('spec.volumes[3].name: Duplicate value: "token"')).toBe('schema');
    expect(changed('spec.priority: Invalid value: 5: no')).toBe('schema');
    expect(changed('spec.containers[0]: Invalid value: core.Container{Name:"web"}: no')).toBe('schema');
    expect(changed('metadata.labels: Invalid value: "x": must be no more than 63 bytes')).toBe('schema');
  });

  it('names the mutating webhook that may have changed it, or all of them', () => {
    const set = failing('Pod "web-x" is invalid: spec.containers[0].image: Required value');
    const mutating = (name: string, resources = ['pods']): KubeObject => object('admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration', name, {
      webhooks: [{ name: `${name}.example.com`, clientConfig: { url: `https://192.0.2.1/${name}` }, rules: [{ operations: ['CREATE'], apiGroups: [''], resources }] }],
    });
    const one = refusalOf(worldWith([set, mutating('inject'), mutating('other', ['services']), config]), set);
    expect(one).toMatchObject({
      layer: 'admission', by: { metadata: { name: 'inject' } }, field: 'spec.containers[0].image',
      says: 'Mutating webhook inject.example.com leaves the Pod invalid: spec.containers[0].image: Required value', next: 'kubectl get mutatingwebhookconfiguration inject -o yaml',
    });
    const two = refusalOf(worldWith([set, mutating('inject'), mutating('label')]), set);
    expect(two?.by).toBeNull();
    expect(two?.authors.map(({ metadata }) => metadata.name)).toEqual(['inject', 'label']);
    expect(two?.says).toMatch(/^One of 2 mutating webhooks \(inject\.example\.com(,| and) label\.example\.com\) leaves the Pod invalid/);
    const blind = refusalOf(worldWith([set], { coverage: [forbidden('MutatingWebhookConfiguration')] }), set);
    expect(blind).toMatchObject({ layer: 'admission', says: 'Admission leaves the Pod invalid: spec.containers[0].image: Required value' });
    expect(() => blind?.authors).toThrow(Unknown);
  });

  it('takes of webhooks of one name the one that was called, or that may be asked', () => {
    const named = (name: string, fields: object, selector: object = {}): KubeObject => object('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', name, {
      webhooks: [{ name: 'guard.example.com', clientConfig: fields, namespaceSelector: selector, rules: [{ operations: ['*'], apiGroups: ['*'], resources: ['*'] }] }],
    });
    const at = (path: string): object => ({ service: { name: 'guard', namespace: 'ops', path } });
    const elsewhere = named('elsewhere', { service: { name: 'guard', namespace: 'lab', path: '/v' } }, { matchLabels: { 'kubernetes.io/metadata.name': 'lab' } });
    const both = [named('short', at('/v')), named('long', at('/v-pods'))];
    const by = (message: string, ...others: KubeObject[]): string | undefined => {
      const refused = failing(message);
      return refusalOf(worldWith([refused, elsewhere, ...others]), refused)?.by?.metadata.name;
    };
    const called = (path: string): string => `Internal error occurred: failed calling webhook "guard.example.com": failed to call webhook: Post "https://guard.ops.svc:443${path}?timeout=10s": context deadline exceeded`;
    expect(by(called('/v'), ...both)).toBe('short');
    expect(by(called('/v-pods'), ...both)).toBe('long');
    const denied = 'admission webhook "guard.example.com" denied the request: no';
    expect(by(denied, named('here', at('/v')))).toBe('here');
    // Two servers of one name, and nothing that tells which of them spoke.
    expect(by(denied, named('here', at('/v')), named('there', { url: 'https://192.0.2.1/v' }))).toBeUndefined();
  });

  it('finds the validation of a policy, and its binding', () => {
    const policy = (...validations: object[]): KubeObject => object('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy', 'small', { spec: { validations } });
    const binding = object('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicyBinding', 'small-deny', { spec: { policyName: 'small', validationActions: ['Deny'] } });
    const addresses = (detail: string, ...validations: object[]): string[] | undefined => {
      const set = failing(`pods "web-x" is forbidden: ValidatingAdmissionPolicy 'small' with binding 'small-deny' denied request: ${detail}`);
      return refusalOf(worldWith([set, policy(...validations), binding]), set)?.articles.map(({ evidence }) => `${evidence.object.kind}${evidence.pointer}`);
    };
    const bound = 'ValidatingAdmissionPolicyBinding/spec';
    const fixed = { expression: 'object.spec.x < 3', message: 'x is too large' };
    const worked = { expression: 'object.spec.y < 3', messageExpression: '"y is " + string(object.spec.y)' };
    expect(addresses('failed expression: object.spec.x < 3', worked, { expression: 'object.spec.x < 3' })).toEqual(['ValidatingAdmissionPolicy/spec/validations/1', bound]);
    expect(addresses('x is too large', worked, fixed)).toEqual(['ValidatingAdmissionPolicy/spec/validations/1', bound]);
    expect(addresses('y is 7', fixed, worked)).toEqual(['ValidatingAdmissionPolicy/spec/validations/1', bound]);
    expect(addresses('y is 7', worked, worked)).toEqual([bound]);
  });

  it('knows that a Service is gone only from a complete list', () => {
    expect(refusalOf(worldWith([set, config]), set)).toMatchObject({ service: null, hook: { gone: true } });
    const blind = refusalOf(worldWith([set], { coverage: [forbidden('ValidatingWebhookConfiguration'), forbidden('Service')] }), set);
    expect(() => blind?.hook).toThrow(Unknown);
    expect(() => blind?.service).toThrow(Unknown);
  });

  it('finds the LimitRange that holds the very bound', () => {
    const range = (name: string, cpu: string): KubeObject => object('v1', 'LimitRange', name, { spec: { limits: [{ type: 'Container', max: { cpu } }] } });
    const limited = failing('pods "web-x" is forbidden: maximum cpu usage per Container is 1, but limit is 2');
    expect(refusalOf(worldWith([limited, range('big', '4'), range('small', '1000m')]), limited)?.by?.metadata.name).toBe('small');
  });

  it('reads an API error wherever an object quotes one', () => {
    const target = pod('operator-0');
    const quoted = 'pods is forbidden: User "system:serviceaccount:ops:operator" cannot list resource "pods" in API group "" at the cluster scope';
    expect(refusalIn(worldWith([target]), target, quoted)).toMatchObject({ who: 'rbac', account: 'ops/operator', source: 'status' });
    expect(refusalIn(worldWith([target]), target, 'all is well')).toBeNull();
  });
});
