/** Reports as the judge hands them over, one for each page drawn in the design: report object in, text out. */
import type { Subject } from '../../src/model/finding.ts';
import type { OpenObject, Report } from '../../src/model/report.ts';
import type { ConnectionStep } from '../../src/model/server.ts';
import { base, subject, effect, evidence, workload, finding, wells, PASSED } from './sample-parts.ts';

const apiPod = (letter: string): Subject => subject('Pod', `order-api-7d8f-${letter}`, 'orders');

export const oneCause = base({
  findings: [
    finding(apiPod('a'), {
      layer: 'cni',
      stage: 'sandbox',
      subjects: [apiPod('a'), apiPod('b')],
      since: '2026-03-01T13:08:12Z',
      title: "Plugin calico refuses to set up the pods' network on worker-2",
      expected: 'a sandbox with a pod IP on worker-2',
      actual: 'set-up failed 14 times, last 25 s ago',
      evidence: [
        evidence(apiPod('a'), '/status/conditions/1', 'condition PodReadyToStartContainers=False', '2026-03-01T13:08:11Z'),
        evidence(
          subject('Event', 'order-api-7d8f-a.18a1', 'orders'), '',
          'FailedCreatePodSandBox x14 from kubelet worker-2: plugin type="calico" failed (add): error getting ClusterInformation: connection is unauthorized: Unauthorized',
          '2026-03-01T13:19:40Z',
        ),
        evidence(subject('Pod', 'calico-node-x', 'kube-system'), '/status/containerStatuses/0/state/waiting', 'restarted 31 times, waiting CrashLoopBackOff', '2026-03-01T13:07:02Z'),
      ],
      conclusion:
        "The runtime answered and called the plugin; the plugin's own agent on this node has been failing since a minute earlier. Scheduling, volumes and the image are not involved.",
      effects: [
        effect('Deployment', 'order-api', '1 of 3 ready'),
        effect('Service', 'order-api', '1 of 3 endpoints ready'),
        effect('HorizontalPodAutoscaler', 'order-api', 'at its maximum'),
      ],
      next: ['kubectl -n kube-system logs calico-node-x --previous', 'kubectl -n kube-system get secret calico-cni-token -o yaml | head -3'],
      layers: { ...PASSED, kubelet: 'reached', csi: 'ok', cni: 'failed', cri: 'not-reached', application: 'not-reached', service: 'not-reached' },
    }),
  ],
  workloads: [workload('Deployment', 'order-api', { verdict: 'failed', desired: 3, ready: 1, generation: 7, observedGeneration: 7 }), ...wells(8)],
  coverage: [
    { kind: 'Pod', namespace: 'orders', state: 'complete', count: 27 },
    { kind: 'Secret', namespace: 'orders', state: 'forbidden', count: 0, code: 403, message: 'secrets is forbidden: User "jane" cannot list resource "secrets"' },
  ],
  skipped: ['pull-secret-missing', 'pull-secret-type', 'tls-secret-missing'].map((rule) => ({
    rule, objects: 2, why: { reason: 'forbidden' as const, kind: 'Secret', namespace: 'orders' },
  })),
});

const cart = subject('ReplicaSet', 'cart-58d9', 'shop');
const checkout = subject('Pod', 'checkout-6c4-h2x', 'shop');
export const severalCauses = base({
  capturedAt: '2026-03-02T08:02:11Z',
  source: { kind: 'cluster', name: 'https://10.3.0.1:6443', server: 'https://10.3.0.1:6443', version: 'v1.33.1', context: 'staging' },
  scope: { namespaces: ['shop'], all: false, targets: [] },
  findings: [
    finding(cart, {
      layer: 'admission',
      stage: 'create',
      since: '2026-03-01T22:40:00Z',
      title: 'Quota "team-shop" has no room for the pods of cart, search, mail',
      subjects: [cart, subject('ReplicaSet', 'search-7f', 'shop'), subject('StatefulSet', 'mail', 'shop')],
      expected: 'room for 500m requests.cpu in quota team-shop',
      actual: 'requests.cpu 9800m used + 500m asked > 10000m hard\n= 3 x 2000m (batch) + 6 x 500m (web) + 8 x 100m',
      conclusion: 'The quota answered; webhooks and policies are not involved.',
      effects: [
        effect('Deployment', 'cart', '2 of 4 ready', 'shop'), effect('Deployment', 'search', '0 of 2 ready', 'shop'), effect('StatefulSet', 'mail', '2 of 3 ready', 'shop'),
      ],
      next: ['kubectl -n shop describe resourcequota team-shop', 'free 300m requests.cpu in shop, or raise the quota'],
      layers: { api: 'ok', admission: 'failed', controller: 'not-reached', scheduler: 'not-reached' },
    }),
    finding(checkout, {
      layer: 'application',
      stage: 'start',
      since: '2026-03-02T07:58:00Z',
      title: 'Container "api" of Deployment/checkout exits with code 1 at once',
      expected: 'a process that keeps running',
      actual: 'exit code 1 after 0.4 s, 6 times',
      evidence: [
        evidence(checkout, '/status/containerStatuses/0/lastState/terminated', 'exit code 1: Traceback (most recent call last):\n\tFile "/app/main.py", line 3\nimport config\nconfig.load()\nKeyError: \'DB_URL\'', '2026-03-02T08:01:30Z'),
      ],
      conclusion: 'Image, sandbox and volumes are fine: the process ran and ended by itself.',
      effects: [effect('Deployment', 'checkout', '0 of 1 ready', 'shop')],
      next: ['kubectl -n shop logs checkout-6c4-h2x -c api --previous'],
      layers: { ...PASSED, application: 'failed' },
    }),
  ],
  workloads: [
    workload('Deployment', 'cart', { verdict: 'failed', desired: 4, ready: 2 }, 'shop'),
    workload('Deployment', 'checkout', { verdict: 'failed', desired: 1, ready: 0 }, 'shop'),
    workload('Deployment', 'search', { verdict: 'failed', desired: 2, ready: 0 }, 'shop'),
    workload('Deployment', 'web', { verdict: 'progressing', desired: 6, ready: 4, says: 'revision 12, 4 of 6 new pods ready, 1m10s of 10m used' }, 'shop'),
    workload('StatefulSet', 'mail', { verdict: 'failed', desired: 3, ready: 2 }, 'shop'),
    ...wells(7, 'shop'),
  ],
  cost: { requests: 23, bytes: 1, ms: 640 },
});

export const healthy = base({ verdict: 'healthy', workloads: wells(9), counts: { Deployment: 9, Pod: 27, ReplicaSet: 11, Service: 6 }, cost: { requests: 21, bytes: 1, ms: 300 } });

const denied = (kind: string) => ({
  kind, namespace: 'orders', state: 'forbidden' as const, count: 0, code: 403, message: `User "jane" cannot list resource "${kind.toLowerCase()}s" in the namespace "orders"`,
});
export const inconclusive = base({
  verdict: 'inconclusive',
  workloads: [workload('Deployment', 'order-api', { verdict: 'inconclusive', desired: 3, ready: 1, generation: 7, observedGeneration: 7 })],
  coverage: [denied('Pod'), denied('Event'), { kind: 'Deployment', namespace: 'orders', state: 'complete', count: 1 }],
  skipped: [
    { rule: 'image-pull', objects: 0, why: { reason: 'forbidden', kind: 'Pod', namespace: 'orders' } },
    { rule: 'create-refused', objects: 1, why: { reason: 'forbidden', kind: 'Event', namespace: 'orders' } },
  ],
  cost: { requests: 18, bytes: 1, ms: 200 },
});

const server = subject('APIServer', '10.0.0.1:6443');
const steps = (broken: ConnectionStep['step'] | null): ConnectionStep[] => {
  const all: ConnectionStep[] = [{ step: 'dns', ok: true }, { step: 'tcp', ok: true, ms: 4 }, { step: 'tls', ok: true }, { step: 'http', ok: true }];
  const stop = all.findIndex(({ step }) => step === broken);
  return stop < 0 ? all : all.slice(0, stop + 1).map((step, index) => (index === stop ? { ...step, ok: false, code: 'ECONNRESET' } : step));
};
const connected = (broken: ConnectionStep['step'] | null) => ({ ...base({}).source, connection: steps(broken) });

export const unreachable = base({
  verdict: 'unreachable',
  source: connected('tls'),
  findings: [
    finding(server, {
      layer: 'api',
      stage: 'connect',
      title: "The server's certificate expired 3 days ago",
      expected: 'a certificate valid now, for 10.0.0.1',
      actual: 'valid until 2026-02-26T09:00:00Z, issued by kubernetes-ca',
      conclusion: 'The server runs and answers; only its certificate is out of date. Running workloads are not affected by this; changes and recovery are.',
      evidence: [{ object: server, pointer: '/connection/2', value: { step: 'tls', ok: false, code: 'CERT_HAS_EXPIRED' }, text: 'tls to 10.0.0.1:6443 failed: certificate has expired (CERT_HAS_EXPIRED)' }],
      next: ['openssl s_client -connect 10.0.0.1:6443 </dev/null | openssl x509 -dates'],
      layers: { api: 'failed', admission: 'not-reached', controller: 'not-reached' },
    }),
  ],
  cost: { requests: 1, bytes: 0, ms: 20 },
});

/** An API server that answers, and what of it does not. */
export const served = (value: { code?: number; check?: string; message?: string }, pointer: string): Report => base({
  verdict: 'unreachable',
  source: connected(null),
  findings: [finding(server, { layer: 'api', stage: 'connect', title: 'It is not well', evidence: [{ object: server, pointer, value, text: 'it said so' }] })],
});

const open = (kind: string, name: string, at: string[], verdict: OpenObject['verdict'] = 'inconclusive'): OpenObject => ({ kind, namespace: 'orders', name, at, verdict });
export const unexplained = base({
  verdict: 'inconclusive',
  workloads: [workload('Deployment', 'web', { verdict: 'inconclusive', desired: 3, ready: 1, generation: 2, observedGeneration: 2 }), ...wells(2)],
  open: [
    open('Deployment', 'web', ['available']), open('ReplicaSet', 'web-77c', ['available']), open('Pod', 'web-77c-a', ['sandbox']), open('Pod', 'web-77c-b', ['sandbox']),
    open('PersistentVolumeClaim', 'cache', ['bind']), open('Service', 'web', ['endpoints'], 'progressing'),
  ],
});

export const lonely = base({ verdict: 'inconclusive', open: [open('Service', 'web', ['endpoints'])], counts: { Service: 1 } });

const team = subject('ResourceQuota', 'team', 'orders');
const makers = ['cart', 'search'].map((name) => subject('ReplicaSet', `${name}-6d4`, 'orders'));
export const quota = base({
  findings: [
    finding(makers[0] ?? team, {
      layer: 'admission',
      stage: 'create',
      subjects: [team],
      since: '2026-03-01T13:00:05Z',
      title: 'ResourceQuota team has no room for requests.cpu: 9800m used + 500m asked > 10',
      expected: 'the API server accepts pods of ReplicaSet/cart-6d4',
      actual: 'requests.cpu: 9800m used + 500m asked > 10',
      conclusion: 'The controller runs and tries; the API server refuses the write.',
      evidence: makers.flatMap((maker) => [
        evidence(maker, '/status/conditions/0', `condition ReplicaFailure=True FailedCreate: pods "${maker.name}-x" is forbidden: exceeded quota: team, requested: requests.cpu=500m`, '2026-03-01T13:00:05Z'),
        evidence(team, '/status/used/requests.cpu', 'requests.cpu 9800m used of 10'),
      ]),
      effects: [effect('Deployment', 'cart', '0/1 ready')],
      chain: [effect('Deployment', 'cart', ''), effect('ReplicaSet', 'cart-6d4', '')],
      next: ['kubectl -n orders describe resourcequota team'],
      layers: { api: 'ok', admission: 'failed', controller: 'ok', scheduler: 'not-reached', kubelet: 'not-reached', csi: 'not-reached', cni: 'not-reached' },
    }),
  ],
  workloads: [workload('Deployment', 'cart', { verdict: 'failed', desired: 1, ready: 0 })],
});

const LONG_ERROR = 'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to set up sandbox container "0a9c5c2f0a9c5c2f" network for pod "web-77c-a": networkPlugin cni failed to set up pod "web-77c-a_orders" network: plugin type="calico" failed (add): error getting ClusterInformation: connection is unauthorized: Unauthorized';
/** More of everything than a page should hold. */
export const overfull = base({
  findings: [
    finding(subject('Pod', 'web-77c-a', 'orders'), {
      layer: 'cni',
      stage: 'sandbox',
      since: '2026-03-01T13:00:05Z',
      subjects: ['a', 'b', 'c'].map((letter) => subject('Pod', `web-77c-${letter}`, 'orders')),
      title: 'No sandbox on worker-2: plugin calico may not ask the API server',
      expected: 'a sandbox with a pod IP on worker-2',
      actual: `set-up failed 14 times, last 25 s ago: ${LONG_ERROR}`,
      conclusion: 'The kubelet answers, and the set-up of the pod\'s sandbox fails. Scheduling and volumes are behind it; no image and no container has been tried. '.repeat(2).trim(),
      evidence: ['a', 'b', 'c'].flatMap((letter) => {
        const one = subject('Pod', `web-77c-${letter}`, 'orders');
        return [
          evidence(subject('Event', `web-77c-${letter}.18ec92c5d6fc6f3c`, 'orders'), '/message', `FailedCreatePodSandBox x14, last 25s ago: ${LONG_ERROR}`, '2026-03-01T13:19:40Z'),
          evidence(one, '/status/conditions/1', 'condition PodReadyToStartContainers=False', '2026-03-01T13:08:11Z'),
        ];
      }),
      effects: [effect('Deployment', 'web', '0/3 ready'), effect('Service', 'web', 'no ready endpoints'), effect('Ingress', 'web', 'answers 503'), effect('HorizontalPodAutoscaler', 'web', 'at its maximum')],
      next: ['kubectl -n kube-system get pods -o wide --field-selector spec.nodeName=worker-2', 'kubectl -n orders describe pod web-77c-a', 'kubectl describe node worker-2', 'kubectl get nodes'],
      layers: { ...PASSED, kubelet: 'reached', csi: 'ok', cni: 'failed', cri: 'not-reached', application: 'not-reached', service: 'not-reached' },
      unread: [{ reason: 'forbidden', kind: 'Secret', namespace: 'orders' }, { reason: 'not-collected', kind: 'DaemonSet' }],
    }),
  ],
  workloads: [workload('Deployment', 'web', { verdict: 'failed', desired: 3, ready: 0 })],
});

/** A page of many causes: whoever reads only the headings knows what to do. */
export const manyCauses = base({
  scope: { namespaces: [], all: true, targets: [] },
  findings: Array.from({ length: 24 }, (_, index) => {
    const one = subject('Pod', `api-${index}-6d4b75cb6d-x2p5v`, `team-${index % 6}`);
    return finding(one, {
      since: '2026-03-01T13:00:05Z',
      title: `Image registry.example.com/team-${index % 6}/api:${index} cannot be pulled: the registry has no such image`,
      expected: `image registry.example.com/team-${index % 6}/api:${index} on worker-1`,
      actual: 'ImagePullBackOff for 20m',
      conclusion: 'The registry answered; the tag is not there.',
      effects: [effect('Deployment', `api-${index}`, '0/1 ready', `team-${index % 6}`)],
      next: [`kubectl -n team-${index % 6} describe pod ${one.name}`],
      layers: { ...PASSED, csi: 'ok', cni: 'ok', cri: 'failed' },
    });
  }),
  workloads: Array.from({ length: 24 }, (_, index) => workload('Deployment', `api-${index}`, { verdict: 'failed', desired: 1, ready: 0 }, `team-${index % 6}`)),
});

const pending = subject('Pod', 'report-0', 'orders');
export const scheduling = base({
  findings: [
    finding(pending, {
      layer: 'scheduler',
      stage: 'schedule',
      since: '2026-03-01T13:12:00Z',
      title: 'No node fits: 3 lack memory, 2 have taint dedicated=db',
      expected: '1 node with 4Gi memory free and no untolerated taint',
      actual:
        'of 5: 3 Insufficient memory, 2 untolerated taint (sum 5)\nbest  worker-3  15.5Gi - 12.2Gi requested = 3.3Gi free, 4Gi asked\n      worker-1  2.9Gi free     worker-2  1.1Gi free\nwould fit  db-1, db-2 with a toleration for dedicated=db:NoSchedule',
      conclusion: 'Requests decide, not usage: worker-3 is 700Mi short. Preemption found no lower-priority pods. No autoscaler has answered in 8m.',
      next: ['lower the memory request to 3.3Gi, or free 700Mi on worker-3'],
      layers: { api: 'ok', admission: 'ok', controller: 'ok', scheduler: 'failed', kubelet: 'not-reached', csi: 'not-reached', cni: 'not-reached', cri: 'not-reached', application: 'not-reached', service: 'not-reached' },
    }),
  ],
  workloads: [workload('StatefulSet', 'report', { verdict: 'failed', desired: 1, ready: 0 })],
});

const lab = subject('Namespace', 'lab');
export const deletion = base({
  capturedAt: '2026-03-01T16:10:02Z',
  scope: { namespaces: ['lab'], all: false, targets: [] },
  findings: [
    finding(lab, {
      layer: 'finalizer',
      stage: 'terminate',
      since: '2026-03-01T14:00:02Z',
      title: 'Namespace/lab waits for 3 databases whose controller is gone',
      expected: 'the owner of finalizer db.example.com/cleanup removes it after clean-up',
      actual: '3 Database objects keep it; Deployment/db-system/db-operator: 0 replicas',
      conclusion: "Kubernetes has done its part. The finalizer's owner was scaled to 0 at 13:41Z by \"kubectl-scale\"; nobody is left to clean up outside.",
      next: [
        'kubectl -n db-system scale deploy/db-operator --replicas=1',
        'removing the finalizer by hand skips the clean-up: first make sure that the databases outside are gone or have an owner',
      ],
      layers: { finalizer: 'failed' },
    }),
  ],
});

const worker = subject('Node', 'worker-7');
const spaces: [string, number][] = [['payments', 14], ['orders', 9], ['search', 7], ['web', 2]];
export const everywhere = base({
  scope: { namespaces: [], all: true, targets: [] },
  findings: [
    finding(worker, {
      layer: 'kubelet',
      stage: 'lost',
      since: '2026-03-01T13:14:00Z',
      title: 'Node/worker-7 stopped reporting 6m ago',
      expected: 'a lease renewed every 10 s',
      actual: 'last renewed 13:14:00Z',
      conclusion: 'The kubelet or its node is gone, or cannot reach the API server.',
      effects: spaces.flatMap(([name, count]) =>
        Array.from({ length: count }, (_, index) => effect('Pod', `p-${index}`, 'their own status is from before 13:14Z and is not used', name))),
      next: ['kubectl describe node worker-7'],
      layers: { kubelet: 'failed' },
    }),
  ],
  workloads: spaces.flatMap(([name, count]) => [...Array.from({ length: count }, (_, index) => workload('Deployment', `d-${index}`, { verdict: 'failed', desired: 1, ready: 0 }, name)), ...wells(20, name)]),
});

const manyPods = Array.from({ length: 14 }, (_, index) => subject('Pod', `web-77c-${String.fromCharCode(97 + index)}`, 'orders'));
export const siblings = base({
  source: { kind: 'recording', name: 'bad-tag', server: 'https://10.0.0.1:6443', version: 'v1.34.4', tool: 'kubectl-strata 0.1.0' },
  scope: { namespaces: ['orders'], all: false, targets: [{ kind: 'Deployment', name: 'web', namespace: 'orders' }] },
  findings: [
    finding(manyPods[0] ?? server, {
      subjects: manyPods,
      since: '2026-02-27T09:00:00Z',
      title: 'Image registry.example/team/web:2.9 cannot be pulled: the registry has no such tag',
      expected: 'image registry.example/team/web:2.9',
      actual: 'ImagePullBackOff for 2d4h',
      conclusion: 'The registry answered; the tag is not there.',
      effects: [effect('Deployment', 'web', '0 of 14 ready')],
      next: ['kubectl -n orders set image deployment/web web=registry.example/team/web:2.8'],
      layers: { ...PASSED, csi: 'ok', cni: 'ok', cri: 'failed' },
    }),
  ],
  workloads: [workload('Deployment', 'web', { verdict: 'failed', desired: 14, ready: 0 })],
  cost: { requests: 0, bytes: 0, ms: 30 },
});

export const nothing = base({ verdict: 'nothing-matched', scope: { namespaces: ['orders'], all: false, targets: [{ kind: 'Deployment', name: 'wbe', namespace: 'orders' }] } });

export const progressing = base({
  verdict: 'progressing',
  workloads: [workload('Deployment', 'web', { verdict: 'progressing', desired: 6, ready: 4, says: 'revision 12, 4 of 6 new pods ready, 1m10s of 10m used' }), ...wells(2)],
  counts: { Deployment: 3, Pod: 12 },
});

const hostile = subject('Pod', 'evil\u001b[2J', 'orders');
export const untrusted = base({
  source: { kind: 'files', name: 'dump\u001b]0;owned\u0007.json' },
  findings: [
    finding(hostile, {
      title: 'Registry says \u001b[32mHEALTHY\u001b[0m\r\n1 CRI  all is well',
      expected: 'a \u202eregnad\u202c image',
      actual: 'line one\nline two \u200bhidden\u009b31m',
      conclusion: 'zero\u200dwidth \u{e0041} tag, bell \u0007, 中文字符 stays',
      evidence: [evidence(hostile, '/metadata/annotations/a.b~1c', 'x\u001b]8;;http://evil.example\u001b\\click\u001b]8;;\u001b\\', '2026-03-01T13:08:11Z')],
      effects: [effect('Deployment', 'web\u0007', '0 of 1 \u001b[1mready')],
      next: ['kubectl -n orders describe pod evil\u001b[2J'],
      layers: { ...PASSED, cri: 'failed' },
    }),
  ],
  notes: ['note \u001b[31m'],
  broken: [{ rule: 'r\u001b', message: 'm\u0007' }],
});

export const samples: Record<string, Report> = {
  oneCause, severalCauses, healthy, inconclusive, unreachable, scheduling, deletion, everywhere, siblings, nothing, progressing, untrusted,
  unexplained, lonely, quota, overfull, manyCauses,
};
