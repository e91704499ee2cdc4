import { describe, expect, it } from 'vitest';
import { classifier, compileTable } from '../src/facts/texts.ts';
import { CAPABILITIES, LAYERS, PERMANENCES } from '../src/model/layer.ts';
import type { TextRow, TextTable } from '../src/model/text.ts';
import { coveredLines, omissions } from '../tools/coverage-texts.ts';
import { files } from '../tools/rule-files.ts';

const tables = files.texts as TextTable[];
const classify = classifier(tables);
const rows = tables.flatMap((table) => table.rows.map((row) => ({ table, row, where: `${table.family}/${row.class}` })));
const expressions = tables.flatMap(({ family, peel, rows }) => [
  ...peel.map((source) => ({ where: `${family} peel ${source}`, source, flags: 's', example: '' })),
  ...rows.map((row) => ({ where: `${family}/${row.class}`, source: row.match, flags: `${row.flags ?? ''}s`, example: row.example })),
]);
const groupsOf = (source: string): string[] => [...source.matchAll(/\(\?<(\w+)>/g)].map(([, name = '']) => name);
const problems = <T extends { where: string }>(all: readonly T[], wrong: (each: T) => string | false | undefined): string[] =>
  all.flatMap((each) => wrong(each) || []).map((text) => text);

const FAMILIES = [
  'api-refusals', 'apiservices', 'autoscaling', 'components', 'connections', 'containers', 'deletions', 'evictions', 'image-pulls', 'mounts',
  'nodes', 'probes', 'provisioning', 'sandboxes', 'scheduling', 'services', 'terminations', 'workloads',
];

describe('the text tables', () => {
  it('are one for each family', () => {
    expect(tables.map(({ family }) => family).sort()).toEqual(FAMILIES);
  });

  it('have rows that say all there is to say', () => {
    const keys = ['class', 'match', 'flags', 'layer', 'says', 'lacks', 'permanence', 'from', 'example', 'covers', 'next'];
    expect(problems(rows, ({ row, where }) => {
      const extra = Object.keys(row).filter((key) => !keys.includes(key));
      if (extra.length > 0) return `${where}: unknown key ${extra.join(' ')}`;
      if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(row.class)) return `${where}: class is not kebab-case`;
      if (!LAYERS.includes(row.layer)) return `${where}: layer ${row.layer}`;
      if (row.lacks !== undefined && !CAPABILITIES.includes(row.lacks)) return `${where}: lacks ${row.lacks}`;
      if (row.permanence === undefined || !PERMANENCES.includes(row.permanence)) return `${where}: permanence ${row.permanence}`;
      if (!/^[A-Z{"k][\s\S]{12,}$/.test(row.says) && !/^(?:etcd|kubelet|calico|flannel|emptyDir)/.test(row.says)) return `${where}: says "${row.says}"`;
      return row.from.length < 4 || row.example.length < 4 ? `${where}: from or example is empty` : false;
    })).toEqual([]);
  });

  it('name each class once', () => {
    expect(problems(rows, ({ table, row, where }) => table.rows.filter((other) => other.class === row.class).length > 1 && where)).toEqual([]);
  });

  it('reach each row by its own example first', () => {
    expect(problems(rows, ({ table, row, where }) => {
      const text = classify(table.family, row.example);
      return (text.family !== table.family || text.class !== row.class) && `${where} is taken by ${text.family}/${text.class}`;
    })).toEqual([]);
  });

  it('fill their sentences from what they capture', () => {
    expect(problems(rows, ({ table, row, where }) => {
      const text = classify(table.family, row.example);
      if (/\{\w+(?:\|[^{}]*)?\}/.test(text.says)) return `${where}: "${text.says}"`;
      if (/(?:^|[ ("])\?(?:[ .,)"]|$)|\(\)| [.;](?: |$)| {2}/.test(text.says)) return `${where}: a hole in "${text.says}"`;
      const known = new Set([...table.peel, row.match].flatMap(groupsOf).map((name) => name.replace(/\d$/, '')));
      const asked = [...row.says.matchAll(/\{(\w+)/g), ...(row.next ?? '').matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
      const missing = asked.filter((name) => !known.has(name) && !['ns', 'name', 'node'].includes(name));
      return missing.length > 0 && `${where}: nothing captures ${missing.join(' ')}`;
    })).toEqual([]);
  });

  it('cover catalogue lines by number, few rows each, and omit none that they cover', () => {
    const covers = rows.flatMap(({ row, where }) => (row.covers ?? []).map((cover) => ({ cover, where })));
    expect(problems(covers, ({ cover, where }) => !/^(?:signal:[1-9]\d*|[KE][1-9]\d*)$/.test(cover) && `${where}: ${cover}`)).toEqual([]);
    const times = new Map<string, number>();
    for (const { cover } of covers) if (cover.startsWith('signal:')) times.set(cover, (times.get(cover) ?? 0) + 1);
    expect([...times].filter(([, count]) => count > 9)).toEqual([]);
    const covered = coveredLines(tables);
    expect(omissions().filter(({ signal, why }) => covered.has(signal) || why.length < 8)).toEqual([]);
  });
});

describe('their expressions', () => {
  it('compile, and do not recognise what is nobody\'s sentence', () => {
    const neutral = ['', 'x', 'Error', 'something went wrong', 'it failed: see above', 'The quick brown fox, 12 times: "done" (really).', 'a: b: c: d', 'failed', 'not ready yet, please wait'];
    const caught = neutral.flatMap((text) => tables.map(({ family }) => classify(family, text))).filter((text) => text.class !== 'unknown');
    expect(caught.map((text) => `${text.family}/${text.class}: "${text.message}"`)).toEqual([]);
    expect(problems(expressions, ({ source, where }) => {
      const literal = source.replace(/\(\?<\w+>/g, '(').replace(/\[[^\]]*\]|\\./g, '\0').match(/[A-Za-z][A-Za-z :'"/=-]{3,}/);
      const structural = /^\^(?:\\\[|\[EWIF\]|\(\?:\\w)/.test(source);
      return !literal && !structural && `${where}: no words in ${source}`;
    })).toEqual([]);
  });

  it('have no quantifier inside a quantified group', () => {
    const nested = /\((?:\?:|\?<\w+>)?[^()]*(?:[^\\][+*]|\{\d+,\})[^()]*\)(?:[+*]|\{\d+,\})/;
    expect(nested.test('(?:a+)+')).toBe(true);
    expect(problems(expressions, ({ source, where }) => nested.test(source) && where)).toEqual([]);
  });

  it('stay linear over 100 kB of text that is made to mislead them', { timeout: 120_000 }, () => {
    const slow = problems(expressions, ({ source, flags, example, where }) => {
      const expression = new RegExp(source, flags);
      // Quadratic is ten seconds here; a busy machine is not.
      const took = Math.max(...hostile(source, example).map((text) => fastest(() => expression.exec(text))));
      return took > 2_000 && `${where}: ${Math.round(took)} ms`;
    });
    expect(slow).toEqual([]);
  });
});

// The machine may be busy: a slow expression is slow twice.
function fastest(run: () => unknown): number {
  const once = (): number => {
    const start = performance.now();
    run();
    return performance.now() - start;
  };
  const first = once();
  return first > 100 ? Math.min(first, once()) : first;
}

/** Texts that begin a match again and again and never end it. */
function hostile(source: string, example: string): string[] {
  const fill = (text: string): string => text.repeat(Math.ceil(100_000 / text.length)).slice(0, 100_000);
  const words = source.replace(/\(\?<\w+>/g, '(').replace(/\\[dwsS]|\[[^\]]*\]/g, 'a').split(/[()|^$*+?{}\\]+/).filter((word) => word.trim().length > 2);
  const texts = [fill('a'), fill(' '), fill('a"'), fill('a: '), fill('1/2 '), fill('\n')];
  const [first = 'a'] = words;
  texts.push(fill(first), first + fill('a '), first + fill('": '), fill(words.join(' ') || 'a'));
  if (example.length > 2) texts.push(fill(example.slice(0, -1)), fill(example.slice(0, example.length / 2)));
  return texts;
}

describe('the classifier', () => {
  // Wordings beside the rows' own examples: other runtimes, older versions, wrappers around wrappers.
  const SENTENCES: [family: string, wanted: string, sentence: string][] = [
    ['api-refusals', 'rbac-cluster', 'clusterrolebindings.rbac.authorization.k8s.io is forbidden: User "system:serviceaccount:ops:operator" cannot list resource "clusterrolebindings" in API group "rbac.authorization.k8s.io" at the cluster scope'],
    ['api-refusals', 'rbac', 'pods is forbidden: User "dev" cannot list pods in the namespace "shop"'],
    ['api-refusals', 'quota-must-specify', 'pods "app-x" is forbidden: failed quota: compute: must specify limits.cpu,limits.memory,requests.cpu'],
    ['api-refusals', 'webhook-service-missing', 'Internal error occurred: failed calling webhook "a.example.com": Post https://a.ops.svc:443/mutate?timeout=30s: service "a" not found'],
    ['api-refusals', 'webhook-tls', 'Internal error occurred: failed calling webhook "a.example.com": Post https://a.ops.svc:443/mutate?timeout=30s: x509: certificate signed by unknown authority'],
    ['api-refusals', 'webhook-timeout', 'Internal error occurred: failed calling webhook "a.example.com": failed to call webhook: Post "https://a.ops.svc:443/m?timeout=5s": net/http: request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)'],
    ['api-refusals', 'serviceaccount-missing', 'create Pod web-0 in StatefulSet web failed error: pods "web-0" is forbidden: error looking up service account shop/web: serviceaccount "web" not found'],
    ['api-refusals', 'timeout', 'Error creating: Timeout: request did not complete within requested timeout context deadline exceeded'],
    ['image-pulls', 'certificate', 'Failed to pull image "10.0.0.5:5000/app": Error response from daemon: {"message":"Get https://10.0.0.5:5000/v1/_ping: x509: certificate signed by unknown authority"}'],
    ['image-pulls', 'dns', 'Failed to pull image "app:1": failed to resolve reference "docker.io/library/app:1": failed to do request: Head https://registry-1.docker.io/v2/app/manifests/1: dial tcp: lookup registry-1.docker.io: Try again'],
    ['image-pulls', 'unauthorized', 'Back-off pulling image "r.example.com/a:1": ErrImagePull: initializing source docker://r.example.com/a:1: reading manifest 1 in r.example.com/a: unauthorized: authentication required'],
    ['image-pulls', 'not-found', 'rpc error: code = Unknown desc = reading manifest 1.99 in docker.io/library/nginx: manifest unknown'],
    ['image-pulls', 'denied', 'rpc error: code = Unknown desc = Error response from daemon: pull access denied for acme/app, repository does not exist or may require \'docker login\': denied: requested access to the resource is denied'],
    ['image-pulls', 'rate-limit', 'rpc error: code = Unknown desc = toomanyrequests: You have reached your unauthenticated pull rate limit.'],
    ['containers', 'exec-missing', 'Error: failed to start container "app": Error response from daemon: OCI runtime create failed: container_linux.go:349: starting container process caused "exec: \\"/bin/eho\\": stat /bin/eho: no such file or directory": unknown'],
    ['containers', 'cgroup', 'Error: failed to start container "init": Error response from daemon: OCI runtime create failed: container_linux.go:380: starting container process caused: process_linux.go:385: applying cgroup configuration for process caused: error creating systemd unit `docker-init.scope`: got `failed`: unknown'],
    ['containers', 'timeout', 'Error syncing pod, skipping: failed to "StartContainer" for "db" with RunContainerError: "runContainer: operation timeout: context deadline exceeded"'],
    ['containers', 'volume-dead', 'Error: failed to start container "t": Error response from daemon: error while creating mount source path \'/var/lib/kubelet/pods/9c1f/volumes/kubernetes.io~csi/pvc-1/mount\': mkdir /var/lib/kubelet/pods/9c1f/volumes/kubernetes.io~csi/pvc-1/mount: file exists'],
    ['containers', 'rbac', 'Error: failed to sync secret cache: secrets "db" is forbidden: User "system:node:w1" cannot list resource "secrets" in API group "" in the namespace "shop"'],
    ['sandboxes', 'no-addresses', 'Failed create pod sandbox: rpc error: code = Unknown desc = NetworkPlugin cni failed to set up pod "a_shop" network: failed to allocate for range 0: no IP addresses available in range set: 172.22.5.1-172.22.5.254'],
    ['sandboxes', 'plugin-crashed', 'Failed create pod sandbox: rpc error: code = Unknown desc = NetworkPlugin cni failed to set up pod "a_shop" network: runtime error: invalid memory address or nil pointer dereference; goroutine 1 [running]:'],
    ['sandboxes', 'bridge-address', 'Error syncing pod, skipping: failed to "SetupNetwork" for "a_shop" with SetupNetworkError: "Failed to setup network for pod using network plugins \\"cni\\": failed to set bridge addr: \\"cni0\\" already has an IP address different from 10.246.1.1/24; Skipping pod"'],
    ['sandboxes', 'sandbox-image', 'Failed to create pod sandbox: rpc error: code = Unknown desc = failed pulling image "registry.k8s.io/pause:3.2": Error response from daemon: Get https://registry.k8s.io/v2/: dial tcp 10.0.0.82:443: connect: connection refused'],
    ['mounts', 'waiting', 'Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[data token]: timed out waiting for the condition'],
    ['mounts', 'storage-unreachable', 'MountVolume.SetUp failed for volume "d" : mount failed: exit status 32\nMounting command: mount\nMounting arguments: -t nfs 10.0.0.9:/v /m\nOutput: mount.nfs: No route to host'],
    ['mounts', 'attach-limit', 'AttachVolume.Attach failed for volume "pvc-1" : rpc error: code = Internal desc = unknown Attach error: failed when waiting for zonal op: Exceeded limit \'maximum_persistent_disks\' on resource \'node-1\'. Limit: 16.0'],
    ['mounts', 'rbac', 'MountVolume.SetUp failed for volume "kube-api-access-x" : failed to fetch token: serviceaccounts "web" is forbidden: User "system:node:w1" cannot create resource "serviceaccounts/token" in API group "" in the namespace "shop"'],
    ['evictions', 'node-pressure', 'The node was low on resource: memory.'],
    ['evictions', 'node-pressure', 'The node was low on resource: ephemeral-storage. Container worker was using 73712Ki, which exceeds its request of 0. '],
    ['evictions', 'node-affinity', 'Pod Predicate NodeAffinity failed'],
    ['nodes', 'network-not-ready', 'runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:docker: network plugin is not ready: cni config uninitialized'],
    ['probes', 'refused', 'Readiness probe failed: Get http://10.0.0.7:8080/health: dial tcp 10.0.0.7:8080: getsockopt: connection refused'],
    ['deletions', 'content-webhook', 'Failed to delete all resource types, 1 remaining: Internal error occurred: failed calling webhook "a.example.com": failed to call webhook: Post "https://a.ops.svc:443/v": no endpoints available for service "a"'],
    ['autoscaling', 'metrics-api-missing', 'invalid metrics (1 invalid out of 1), first error is: failed to get depth external metric value: failed to get depth external metric: unable to get external metric shop/depth/nil: unable to fetch metrics from external metrics API: the server could not find the requested resource (get depth.external.metrics.k8s.io)'],
    ['workloads', 'pod-security', 'create Pod web-0 in StatefulSet web failed error: pods "web-0" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true'],
    ['components', 'webhook-unreachable', 'status_manager.go:211] "Failed to delete status for pod" pod="kube-system/a" err="Internal error occurred: failed calling webhook \\"a.example.com\\": Post \\"https://a.ops.svc:443/m\\": dial tcp 10.30.0.165:443: connect: no route to host"'],
    ['connections', 'tls-expired', 'Unable to connect to the server: x509: certificate has expired or is not yet valid'],
    ['connections', 'refused', 'The connection to the server 192.0.2.1:6443 was refused - did you specify the right host or port?'],
    ['connections', 'no-kubeconfig', 'invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable'],
    ['connections', 'kubelet-not-reached', 'Get "https://10.0.0.5:10250/containerLogs/shop/web-1/app": x509: certificate signed by unknown authority'],
    ['terminations', 'setting-missing', 'the SMTP_HOST environment variable is not set'],
  ];

  it.each(SENTENCES)('%s knows %s in other words', (family, wanted, sentence) => {
    expect(classify(family, sentence).class).toBe(wanted);
  });

  // The code is the caller's and means one thing; the words are of whichever gRPC library gave up first.
  const LATE = [
    'rpc error: code = DeadlineExceeded desc = context deadline exceeded', 'rpc error: code = DeadlineExceeded desc = Deadline exceeded',
    'rpc error: code = DeadlineExceeded desc = deadline exceeded after 119.9s', 'rpc error: code = DeadlineExceeded desc = stream terminated by RST_STREAM with error code: CANCEL',
    'rpc error: code = Canceled desc = context canceled', 'rpc error: code = Canceled desc = Cancelled on client', 'rpc error: code = DeadlineExceeded desc = it takes longer than that',
    'rpc error: code = Internal desc = 4 DEADLINE_EXCEEDED: Deadline exceeded after 10.002s',
  ];

  it.each([
    ['mounts', 'driver-timeout', 'MountVolume.MountDevice failed for volume "pvc-1" : %'],
    ['mounts', 'driver-timeout', 'AttachVolume.Attach failed for volume "pvc-1" : rpc error: code = Internal desc = Could not attach: %'],
    ['mounts', 'driver-timeout', '%'],
    ['provisioning', 'storage-unreachable', 'failed to provision volume with StorageClass "san": %'],
    ['provisioning', 'storage-unreachable', 'resize volume "pv-1" by resizer "san.example.com" failed: %'],
    ['sandboxes', 'timeout', 'Failed to create pod sandbox: %'],
    ['sandboxes', 'timeout', 'error killing pod: failed to "KillPodSandbox" for "9c1f" with KillPodSandboxError: "%"'],
    ['containers', 'timeout', 'Error: %'],
    ['image-pulls', 'canceled', 'Failed to pull image "acme/app:1": %'],
  ])('takes a call that was not answered for one, however spelled: %s/%s in %s', (family, wanted, sentence) => {
    expect(LATE.filter((late) => classify(family, sentence.replace('%', late)).class !== wanted)).toEqual([]);
  });

  it('takes an answer for an answer, whatever ended it', () => {
    expect(classify('mounts', 'MountVolume.MountDevice failed for volume "pvc-1" : rpc error: code = DeadlineExceeded desc = it takes longer than that').says)
      .toBe('The storage driver has not finished with volume pvc-1 in time (it takes longer than that)');
    expect(classify('mounts', 'MountVolume.MountDevice failed for volume "pvc-1" : rpc error: code = DeadlineExceeded desc = Deadline exceeded').says)
      .toBe('The storage driver has not finished with volume pvc-1 in time (and gives no reason)');
    expect(classify('mounts', 'MountVolume.MountDevice failed for volume "pvc-1" : rpc error: code = DeadlineExceeded desc = mount failed: exit status 32 Output: mount.nfs: Connection timed out').class).toBe('storage-unreachable');
    expect(classify('mounts', 'MountVolume.MountDevice failed for volume "pvc-1" : rpc error: code = Internal desc = the deadline of the lease is over').class).toBe('driver');
    expect(classify('provisioning', 'failed to provision volume with StorageClass "san": rpc error: code = DeadlineExceeded desc = the array is rebuilding').says)
      .toBe('The driver does not reach its storage, or the driver itself does not answer (the array is rebuilding)');
  });

  it('leaves unknown what no row names, and hands the text on', () => {
    const text = classify('sandboxes', 'Failed to create pod sandbox: rpc error: code = Unknown desc = the moon is full');
    expect(text).toMatchObject({ class: 'unknown', layer: '', lacks: '', permanence: '', next: '', says: 'the moon is full', inner: 'the moon is full', captures: { code: 'Unknown' } });
  });

  it('gives captures of wrapper and row, and says with them what it means', () => {
    const text = classify('api-refusals', 'Error creating: Internal error occurred: failed calling webhook "guard.example.com": failed to call webhook: Post "https://guard.ops.svc:443/v?timeout=10s": no endpoints available for service "guard"');
    expect(text.captures).toMatchObject({ webhook: 'guard.example.com', service: 'guard', namespace: 'ops', url: 'https://guard.ops.svc:443/v?timeout=10s' });
    expect(text.says).toBe('Webhook guard.example.com guards this write, and its Service ops/guard has no ready endpoint');
    expect(text.next).toBe('kubectl -n ops get endpointslices -l kubernetes.io/service-name=guard');
  });

  it('leaves out a remark in brackets that would miss a word', () => {
    expect(classify('evictions', 'The node was low on resource: memory.').says).toBe('The node ran low on memory and evicted the pod');
    expect(classify('evictions', 'The node was low on resource: memory. Container web was using 3Gi, request is 1Gi, has larger consumption of memory. ').says)
      .toBe('The node ran low on memory and evicted the pod (container web used 3Gi, request 1Gi)');
  });

  it('quotes for the shell what the cluster wrote, and offers no line with control characters or holes', () => {
    expect(classify('mounts', 'MountVolume.SetUp failed for volume "v" : secret "$(reboot)" not found').next).toBe('kubectl -n {ns} get secret \'$(reboot)\'');
    expect(classify('mounts', 'MountVolume.SetUp failed for volume "v" : secret "a\u202eb" not found').next).toBe('');
    expect(classify('mounts', 'MountVolume.SetUp failed for volume "v" : secret "-A" not found').next).toBe('kubectl -n {ns} get secret \'-A\'');
  });

  it('sees through escapes, control characters and line ends', () => {
    expect(classify('image-pulls', '\u001b[31mFailed to pull image "a:1": \u0007toomanyrequests: stop\u001b[0m\r\n').class).toBe('rate-limit');
    expect(classify('probes', 'Readiness probe failed: HTTP probe failed with\n statuscode').class).toBe('failed');
  });

  it('finds a cause at either end of a megabyte, quickly', () => {
    const noise = 'x y "z": '.repeat(120_000);
    const start = performance.now();
    expect(classify('mounts', `MountVolume.SetUp failed for volume "v" : mount failed: exit status 32 Output: ${noise} mount.nfs: access denied by server while mounting nas:/v`).class).toBe('nfs-denied');
    expect(classify('api-refusals', `exceeded quota: team, requested: pods=1, used: pods=1, limited: pods=1 ${noise}`).class).toBe('quota-exceeded');
    expect(performance.now() - start).toBeLessThan(1500);
  });

  it('takes no part of a name for a word of the sentence', () => {
    const said = (name: string): string => classify('services', `Translation failed: invalid ingress spec: service "${name}" is type "ClusterIP"`).class;
    expect(said('shop/no-quota-left')).toBe(said('shop/web'));
    expect(classify('services', 'service "no-quota-left" was refused: Quota of addresses used up').class).toBe('cloud-quota');
  });

  it('prefers the deepest sentence and the first row', () => {
    const row = (name: string, match: string): TextRow => ({ class: name, match, layer: 'cri', says: 'It says so.', from: 'test', example: name });
    const made = classifier([
      { family: 'outer', doc: '', peel: ['^wrap: (?<rest>.+)', '^hand: (?<inner>.+)'], rows: [row('a', 'wrap'), row('b', '^deep'), row('c', 'deep')] },
      { family: 'inner', doc: '', peel: [], rows: [row('d', '^far')] },
    ]);
    expect(made('outer', 'wrap: wrap: deep').class).toBe('b');
    expect(made('outer', 'wrap: shallow').class).toBe('a');
    expect(made('outer', 'wrap: hand: far')).toMatchObject({ class: 'd', family: 'inner', inner: 'far' });
    expect(made('outer', 'wrap: hand: near')).toMatchObject({ class: 'a', family: 'outer' });
    expect(() => made('nowhere', 'x')).toThrow('nowhere');
    expect(() => compileTable({ family: 'bad', doc: '', peel: [], rows: [row('x', '(')] })).toThrow('texts/bad: x');
  });
});
