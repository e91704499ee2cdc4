import { describe, expect, test } from 'vitest';
import { explanationOf, messageIn, openIn, piecesOf, recognise } from '../../src/cli/explain.ts';
import { writerOf } from '../../src/cli/explain-speaker.ts';
import { loadRules } from '../../src/engine/load.ts';

const layerOf = (text: string): string | undefined => recognise(piecesOf(text))?.layer;

describe('who speaks decides what a text means', () => {
  test.each([
    ['Readiness probe failed: Get "http://10.244.0.5:8080/healthz": dial tcp 10.244.0.5:8080: connect: connection refused', 'application'],
    ['Failed to pull image "x/y:1": failed to do request: Head "https://registry.test/v2/x/y/manifests/1": dial tcp 192.0.2.4:443: i/o timeout', 'cri'],
    ['MountVolume.SetUp failed for volume "conf" : failed to sync configmap cache: timed out waiting for the condition', 'kubelet'],
    ['Get "https://192.0.2.1:6443/api?timeout=32s": dial tcp 192.0.2.1:6443: i/o timeout', 'api'],
    ['Unable to connect to the server: x509: certificate signed by unknown authority', 'api'],
    ['Error from server (NotFound): secrets "db" not found', 'api'],
    ['Error: secret "db" not found', 'kubelet'],
    ['deployment.apps/web created\nError from server (Forbidden): error when creating "web.yaml": pods "x" is forbidden: exceeded quota: team, requested: requests.cpu=10m, used: requests.cpu=20m, limited: requests.cpu=20m', 'admission'],
    ['Error: INSTALLATION FAILED: Kubernetes cluster unreachable: Get "https://192.0.2.1:6443/version": dial tcp 192.0.2.1:6443: connect: connection refused', 'api'],
    ['Warning  Failed  5s (x3 over 1m)  kubelet  Failed to pull image "nginx:1.99": not found', 'cri'],
    // The API server passes on what it heard on its way to a kubelet.
    ['Error from server: error dialing backend: dial tcp 10.0.0.5:10250: i/o timeout', 'kubelet'],
    ['Error from server: error dialing backend: remote error: tls: internal error', 'kubelet'],
    ['Error from server: Get "https://10.0.0.5:10250/containerLogs/shop/web-1/app": x509: certificate signed by unknown authority', 'kubelet'],
    ['error: unable to upgrade connection: container not found ("app")', 'kubelet'],
    ['error: unable to upgrade connection: Forbidden (user=kubernetes, verb=create, resource=nodes, subresource=proxy)', 'api'],
    ['Error from server (AlreadyExists): error when creating "q": object is being deleted: services "x" already exists', 'finalizer'],
    ['Error from server (BadRequest): container "app" in pod "web-1" is waiting to start: trying and failing to pull image', 'cri'],
    ['Cannot patch ClusterRoleBinding: "error" (ClusterRoleBinding.rbac.authorization.k8s.io "error" is invalid: roleRef: Invalid value: rbac.RoleRef{Name:"x"}: cannot change roleRef)', 'api'],
    ['Error creating: Internal error occurred: admission plugin "LimitRanger" failed to complete validation in 13s', 'admission'],
  ])('%s', (text, layer) => {
    expect(layerOf(text)).toBe(layer);
  });

  // Who makes machines, load balancers and sandboxes speaks of capacity, addresses and programs alike.
  test.each([
    ['launching nodeclaim: creating instance: insufficient capacity: UnfulfillableCapacity', 'scheduler'],
    ['Nodes added to group pool-a failed to register within 15m3s', 'kubelet'],
    ['Failed to allocate IP for "shop/web": no available IPs', 'service'],
    ['Failed to create pod sandbox: rpc error: code = Unknown desc = failed to create containerd task: fork/exec /usr/bin/nvidia-container-runtime: no such file or directory: unknown', 'cri'],
    ['Failed to create pod sandbox: open /run/systemd/resolve/resolv.conf: no such file or directory', 'kubelet'],
    ['Issuing certificate as Secret does not exist', undefined],
    ['job migrate failed: BackoffLimitExceeded', 'application'],
    ['Error from server (NotFound): the server could not find the requested resource (get nodes.metrics.k8s.io)', 'api'],
    ['running PreBind plugin "VolumeBinding": binding volumes: provisioning failed for PVC "data-web-0"', 'csi'],
    ['image pull failed for r.example.com/app:1 because the registry is unavailable: connection timed out', 'cri'],
    ['MountVolume.NodeExpandVolume failed for volume "pvc-1" requested read-only file system', 'csi'],
    ['Pod was rejected: Cannot enforce AppArmor: AppArmor is not enabled on the host', 'kubelet'],
    ['Error updating load balancer with new hosts [a b], error: AccessDenied', 'service'],
    ['Scale-up timed out for node group pool-a after 15m0s', undefined],
  ])('%s', (text, layer) => {
    expect(layerOf(text)).toBe(layer);
  });

  const EVENTS = (...rows: string[]): string => ['Events:', '  Type     Reason       Age   From     Message', '  ----     ------       ----  ----     -------', ...rows].join('\n');
  test('of a description the rows that warn are read, each for itself', () => {
    const given = EVENTS(
      '  Normal   Scheduled    2m              default-scheduler  Successfully assigned shop/web to worker-2',
      '  Warning  FailedMount  5s (x8 over 2m) kubelet            MountVolume.SetUp failed for volume "tls" : secret "web-tls" not found',
      '  Normal   Pulled       1s              kubelet            Container image "nginx" already present on machine',
    );
    expect(explanationOf(given)).toMatchObject({ layer: 'kubelet', class: 'mounts/secret-missing', text: 'secret "web-tls" not found' });
  });

  test('fields that are refused together are told together', () => {
    const given = 'The Deployment "api" is invalid: \n* spec.template.spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1\n* spec.selector: Invalid value: {}: field is immutable';
    expect(explanationOf(given)).toMatchObject({ layer: 'api', says: expect.stringMatching(/more than one field: .*cpu limit of 1.*spec\.selector/) });
  });

  test.each([
    'Error: INSTALLATION FAILED: failed pre-install: 1 error occurred:\n\t* timed out waiting for the condition\n\n',
    'Error: UPGRADE FAILED: release web failed, and has been rolled back due to atomic being set: timed out waiting for the condition',
  ])('who gave up waiting names nobody, however much Helm says before: %s', (text) => {
    expect(explanationOf(text)).toMatchObject({ layer: '', says: expect.stringContaining('gave up waiting') });
  });

  test('of the states in a description that one is told which is not a wait', () => {
    expect(explanationOf('State:          Waiting\n  Reason:       CrashLoopBackOff\nLast State:     Terminated\n  Reason:       OOMKilled\n  Exit Code:    137').says).toMatch(/^"OOMKilled"/);
  });

  test('the address in the words of Docker Hub is no registry', () => {
    const limit = 'You have reached your pull rate limit. You may increase the limit by authenticating and upgrading: https://www.docker.com/increase-rate-limit';
    expect(recognise(piecesOf(limit))?.says).toMatch(/^The rate limit of the registry is used up/);
    expect(recognise(piecesOf(`Failed to pull image "a/b:1": unexpected status code https://registry-1.docker.io/v2/a/b/manifests/1: 429 Too Many Requests - Server message: toomanyrequests: ${limit}`))?.says).toMatch(/rate limit of registry-1\.docker\.io/);
  });

  test.each([
    ['error: no configuration has been provided, try setting KUBERNETES_MASTER environment variable', /no cluster was asked/],
    ['Unable to connect to the server: getting credentials: exec: executable aws not found', /program aws gave no credentials on this machine .*was not asked/],
  ])('nobody was asked: %s', (text, says) => {
    expect(recognise(piecesOf(text))?.says).toMatch(says);
  });

  test('a log line in JSON is read by what it says', () => {
    const line = JSON.stringify({ error: null, level: 'error', msg: 'deployments.apps "feedback" is forbidden: User "system:serviceaccount:argo:rollouts" cannot update resource "deployments" in API group "apps" in the namespace "content"' });
    expect(recognise(piecesOf(messageIn(line)))?.says).toMatch(/system:serviceaccount:argo:rollouts is not allowed to update deployments/);
  });

  test('what the API does not serve is named with its space', () => {
    expect(recognise(piecesOf('error: the server doesn\'t have a resource type "gateways"'))?.says).toMatch(/serves no gateways: /);
    expect(recognise(piecesOf('Error from server (NotFound): the server could not find the requested resource'))?.says).toMatch(/serves no such resource: /);
  });

  test.each([
    ['Error from server (BadRequest): container "app" in pod "web-1" is waiting to start: CreateContainerConfigError', 'corroborated'],
    ['Error from server (BadRequest): container "app" in pod "web-1" is waiting to start: ContainerCreating', 'waiting'],
  ])('whether it passes by itself is said of what it says: %s', (text, permanence) => {
    expect(recognise(piecesOf(text))?.permanence).toBe(permanence);
  });

  test.each([
    'ERROR: database "orders" already exists',
    // The runtime, a storage driver and etcd are all asked by gRPC.
    'rpc error: code = Unknown desc = Error: No such container: 04f70ed238cf', 'invalid value for option "mode"',
    'error: timed out waiting for the condition', 'Error: context deadline exceeded', 'error: deployment "web" exceeded its progress deadline',
    'Error: UPGRADE FAILED: another operation (install/upgrade/rollback) is in progress', 'Error: INSTALLATION FAILED: cannot re-use a name that is still in use',
    'fatal: unable to access: Could not resolve host: git.example.com', 'npm ERR! code EACCES permission denied', 'curl: (28) Operation timed out', 'tar: no space left on device',
    'Post "https://hook.shop.svc:443/mutate?timeout=10s": context deadline exceeded',
  ])('says no layer of %s', (text) => {
    expect(layerOf(text)).toBeUndefined();
  });

  test.each([
    'npm ERR! code ECONNREFUSED connect ECONNREFUSED 127.0.0.1:4873',
    'Error: dial tcp: lookup registry.example.com on 127.0.0.53:53: no such host',
    'fatal: unable to access https://git.example.com/x/y.git/: Could not resolve host: git.example.com',
    'curl: (60) SSL certificate problem: self signed certificate',
    'requests.exceptions.SSLError: certificate verify failed: self signed certificate in certificate chain',
  ])('the API server is not meant by %s', (text) => {
    expect(layerOf(text)).not.toBe('api');
  });

  test.each([
    ['Error: Kubernetes cluster unreachable: Get "https://192.0.2.1:6443/version": dial tcp 192.0.2.1:6443: connect: connection refused', 'api'],
    ['The connection to the server localhost:8080 was refused - did you specify the right host or port?', 'api'],
    ['connect ECONNREFUSED 192.0.2.1:6443', 'api'],
    ['Error: UPGRADE FAILED: another operation (install/upgrade/rollback) is in progress', undefined],
    ['Error: INSTALLATION FAILED: cannot re-use a name that is still in use', undefined],
  ])('%s', (text, layer) => {
    expect(layerOf(text)).toBe(layer);
  });

  test.each([
    ['Error: UPGRADE FAILED: another operation (install/upgrade/rollback) is in progress', /holds the release/, /history/],
    ['Error: INSTALLATION FAILED: cannot re-use a name that is still in use', /release of this name/, /list --all/],
    ['NodeNotReady', /kubelet has fallen silent/, /describe node/],
    ['TaintManagerEviction', /NoExecute taint/, /TAINTS/],
    ['SystemOOM', /kernel of a node/, /describe node/],
    ['Memory cgroup out of memory: Killed process 1234 (java) total-vm:1kB', /kernel of a node/, /describe node/],
    ['ReplicaFailure', /refused the write/, /strata/],
    ['ProvisioningFailed', /reason of an event/, /strata/],
  ])('of %s it says what it means, and where to look', (text, means, next) => {
    expect(explanationOf(text)).toMatchObject({ layer: '', means: expect.stringMatching(means), next: expect.stringMatching(next) });
  });

  test('the scheduler\'s sentence about all nodes is taken apart, and its counts are added up', () => {
    const of = (text: string): string[] => explanationOf(text).behind.map(({ layer, what }) => `${layer} ${what}`);
    expect(of('0/3 nodes are available: 1 node(s) had untolerated taint {dedicated: gpu}, 2 Insufficient cpu. preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.')).toEqual([
      expect.stringMatching(/^scheduler 1 of 3: .*taint dedicated/), expect.stringMatching(/^scheduler 2 of 3: .*CPU/),
    ]);
    expect(of('0/6 nodes are available: 2 Insufficient cpu, 1 node(s) frobnicated')).toEqual([
      expect.stringMatching(/^scheduler 2 of 6/), expect.stringMatching(/1 of 6: .*frobnicated/), expect.stringMatching(/these counts make \d+ of 6 nodes: the text is cut/),
    ]);
    expect(explanationOf('pods "x" is forbidden: exceeded quota: q, requested: pods=1, used: pods=10, limited: pods=10').behind).toEqual([]);
  });

  test('of all examples of these tables those alone are laid at the door of the API server that its clients print, too', () => {
    const families = new Set(['probes', 'image-pulls', 'mounts', 'sandboxes', 'provisioning', 'terminations', 'scheduling']);
    const rows = loadRules().texts.filter(({ family }) => families.has(family)).flatMap(({ rows }) => rows);
    const blamed = rows.filter(({ example, layer }) => example && layer !== 'api' && layerOf(example) === 'api').map(({ class: name }) => name);
    // A process and kubectl say the same of an API server that is out of reach.
    expect(blamed).toEqual(['api-unreachable']);
  });
});

describe('what many programs say names no layer, and says where to look', () => {
  const opened = (text: string) => {
    expect(layerOf(text)).toBeUndefined();
    return openIn(piecesOf(text));
  };

  test.each([
    'no space left on device', 'OSError: [Errno 28] No space left on device', 'unauthorized: authentication required', 'Unauthorized', 'Too Many Requests',
    'HTTP 429 Too Many Requests', 'git@github.com: Permission denied (publickey).', "PermissionError: [Errno 13] Permission denied: '/data'", 'i/o timeout', 'EOF',
    'Conflict. The container name "/web" is already in use by container "abc". You have to remove (or rename) that container to be able to reuse that name.',
    'docker: Error response from daemon: pull access denied for foo, repository does not exist', 'connect ECONNREFUSED 10.0.0.1:5432', 'no such host', 'getaddrinfo ENOTFOUND db',
    'x509: certificate signed by unknown authority', '503 Service Unavailable', 'exec format error', 'bind: address already in use', 'Read-only file system', 'invalid argument',
    'quota exceeded', 'exit status 1', 'manifest unknown', 'nginx: [emerg] bind() to 0.0.0.0:80 failed (13: Permission denied)', 'rpc error: code = DeadlineExceeded desc = context deadline exceeded',
  ])('%s', (text) => {
    const open = opened(text);
    expect(new Set(open?.behind.map(([layer]) => layer)).size).toBeGreaterThan(1);
    expect(open?.next).toMatch(/^kubectl strata /);
  });

  test.each([
    ['CrashLoopBackOff', ['application', 'kubelet', 'cri']], ['OOMKilled', ['kubelet', 'application']], ['ImagePullBackOff', ['cri', 'kubelet']], ['Evicted', ['kubelet']],
    ['ContainerCreating', ['kubelet', 'csi', 'cni', 'cri']], ['Error', ['application', 'kubelet', 'cri']], ['Pending', ['scheduler', 'kubelet', 'csi', 'cni', 'cri']],
    ['web-7d4b9c-x2x4z   0/1     Init:CrashLoopBackOff   3 (20s ago)   5m', ['application', 'kubelet', 'cri']],
    ['shop   web-7d4b9c-x2x4z   0/1   CreateContainerConfigError   0   5m', ['kubelet']],
    ['Warning  BackOff  5s (x3 over 1m)  kubelet  Back-off restarting failed container app in pod web-1_shop(8e98)', ['application', 'kubelet', 'cri']],
    ['Terminating', ['kubelet', 'application', 'finalizer', 'csi']], ['OutOfcpu', ['kubelet']], ['InvalidImageName', ['kubelet']],
  ])('a status: %s', (text, layers) => {
    expect([...new Set(opened(text)?.behind.map(([layer]) => layer))]).toEqual(layers);
  });

  test.each([
    ['Failed to pull image "x": rpc error: code = Unknown desc = unauthorized: authentication required', 'cri'],
    ['MountVolume.SetUp failed for volume "data" : write /var/lib/kubelet/pods/x: no space left on device', 'kubelet'],
    ['Internal error occurred: failed calling webhook "a.b": failed to call webhook: Post "https://a.b.svc:443/?timeout=10s": EOF', 'admission'],
    ['Service "web" is invalid: spec.ports[0].nodePort: Invalid value: 30080: provided port is already allocated', 'service'],
    ['Unable to connect to the server: EOF', 'api'],
    ['error: You must be logged in to the server (Unauthorized)', 'api'],
  ])('with its speaker it does: %s', (text, layer) => {
    expect(layerOf(text)).toBe(layer);
  });

  test('words of nobody are not taken for a status or a sentence', () => {
    for (const text of ['Everything', 'web is there', 'Deployment', 'it went wrong']) expect(openIn(piecesOf(text))).toBeNull();
  });

  test('a text of any length is read in no time', () => {
    const text = `${': ["'.repeat(20_000)}no space left on device${' '.repeat(20_000)}x`;
    const before = performance.now();
    openIn(piecesOf(text));
    expect(performance.now() - before).toBeLessThan(2_000);
  });
});

test.each([
  ['Back-off restarting failed container app in pod web-1_orders(0f3a)', 'kubectl strata -n orders pod/web-1'],
  ['error: deployment "web" exceeded its progress deadline', 'kubectl strata -n NAMESPACE deployment/web'],
  ['error: timed out waiting for the condition on statefulsets/db', 'kubectl strata -n NAMESPACE statefulset/db'],
  ['error: timed out waiting for the condition', 'kubectl strata -n NAMESPACE TYPE/NAME'],
])('the names that a text tells stand in the next step: %s', (text, next) => {
  expect(explanationOf(text).next).toContain(next);
});

test('each document that an apply prints an error for is told', () => {
  const missing = 'Error from server (NotFound): error when creating "a.yaml": namespaces "q" not found';
  const full = 'Error from server (Forbidden): error when creating "b.yaml": pods "x" is forbidden: exceeded quota: team, requested: pods=1, used: pods=2, limited: pods=2';
  const { class: first, also } = explanationOf([missing, 'service/web created', full, missing].join('\n'));
  expect([first, also.map(({ layer }) => layer)]).toEqual(['api-refusals/namespace-missing', ['admission']]);
  expect(explanationOf(missing).also).toEqual([]);
});

describe('who writes again what came second depends on who wrote it', () => {
  const LOST = 'Operation cannot be fulfilled on deployments.apps "web": the object has been modified; please apply your changes to the latest version and try again';
  test.each([
    ['kubectl replace', `Error from server (Conflict): error when replacing "web.yaml": ${LOST}`, 'command'],
    ['kubectl edit', `error: deployments.apps "web" could not be patched: ${LOST}`, 'command'],
    ['kubectl apply of several', `deployment.apps/api configured\nError from server (Conflict): ${LOST}`, 'command'],
    ['Helm', `Error: UPGRADE FAILED: ${LOST}`, 'command'],
    ['the log of a controller', `E0301 10:00:00.000000       1 deployment_controller.go:490] "Unhandled Error" err="${LOST}"`, 'controller'],
    ['the log of an operator', `ERROR Reconciler error {"controller": "database", "error": "${LOST}"}`, 'controller'],
    ['an event', `Warning  FailedSync  5s (x3 over 1m)  database-controller  ${LOST}`, 'controller'],
    ['nobody that is known', LOST, 'unknown'],
  ])('%s', (_who, text, writer) => {
    expect(recognise(piecesOf(text))?.class).toBe('conflict');
    expect(writerOf(text)).toBe(writer);
  });
});
