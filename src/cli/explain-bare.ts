import type { Open } from './explain-status.ts';

// Behind what said it, or the number that C programs put before it; before an end, or the path that they put behind it.
const STARTS = String.raw`(?:^|: |\) |\] |\(\d+: )`;
const ENDS = `(?:[.!)]?$|: ["'/].{0,200}$)`;
const said = (...phrases: string[]): RegExp => new RegExp(`${STARTS}["']?(?:${phrases.join('|')})["']?${ENDS}`, 'im');

/**
 * Sentences of kernels, HTTP, TLS, resolvers and registries that any program prints. What is left of a text without them tells
 * whether a component of Kubernetes speaks; where nothing else told it, several layers may.
 */
const PHRASES: readonly (readonly [RegExp, string, Open['behind'], string?])[] = [
  [
    said('no space left on device', 'disk quota exceeded', 'disk full', 'not enough space'),
    'A disk is full (or out of inodes). Whose is not said.',
    [
      ['application', "in a container's log: a volume or the writable layer that the process writes to"],
      ['kubelet', "in an event of the pod, beside DiskPressure of the node: the node's disk"],
      ['cri', "while an image is unpacked or a container made: the runtime's disk"],
      ['api', 'from etcd: its database or its disk'],
    ],
  ],
  [
    said(
      'HTTP 401\\b.{0,120}',
      'unauthorized(?:: authentication required)?',
      'authentication required',
      '(?:http )?401(?: unauthorized)?',
      'invalid (?:username|credentials|token)',
      'no basic auth credentials',
      'incorrect username or password',
      '(?:pull )?access denied(?: for .{0,200})?',
      'denied: requested access to the resource is denied',
    ),
    'Somebody does not accept the credentials. Who is not said.',
    [
      ['cri', 'a registry, in an event of the pod that quotes the pull (or docker on this machine)'],
      ['api', 'the API server, where kubectl or a client of it printed this'],
      ['application', 'what the process connects to, in its log'],
    ],
  ],
  [
    said(
      'permission denied(?: \\([\\w,-]+\\))?\\.?',
      'operation not permitted',
      'EACCES.{0,120}',
      'EPERM.{0,120}',
      'HTTP 403\\b.{0,160}',
      'host key verification failed\\.?',
      '(?:http )?403(?: forbidden)?',
      'forbidden',
    ),
    'Something was refused. By whom is not said: a file system, ssh, a storage, a registry and the API server use these words.',
    [
      ['application', "in a container's log: file owner, user or capability; or what it connects to"],
      ['csi', 'in an event FailedMount or ProvisioningFailed: the storage'],
      ['cri', 'in an event that quotes the runtime or the registry'],
      ['api', 'where kubectl printed it: a role is missing'],
    ],
  ],
  [
    said('(?:http )?(?:error )?429(?: too many requests)?', 'too many requests', 'toomanyrequests(?:: .{0,200})?', 'rate limit exceeded', 'HTTP 429.{0,120}'),
    'Somebody is asked too often. Who is not said.',
    [
      ['cri', 'a registry, in an event that quotes the pull: its rate limit'],
      ['api', 'the API server sheds load: kubectl or a client of it prints this'],
      ['csi', 'the cloud behind a driver or a load balancer'],
      ['application', 'what the process calls, in its log'],
    ],
  ],
  [
    said(
      'connection refused',
      'connect(?:ion)? (?:reset by peer|closed|aborted)',
      'connection reset(?: by peer)?',
      'broken pipe',
      'no route to host',
      '(?:network|host) is (?:unreachable|down)',
      '(?:connect |read |write )?E(?:CONNREFUSED|CONNRESET|HOSTUNREACH|NETUNREACH|PIPE|TIMEDOUT)\\b.{0,120}',
      '(?:unexpected )?EOF',
      'socket hang up',
      'other side closed',
      'stream error.{0,120}',
      'proxyconnect .{0,160}',
      'upstream connect error.{0,200}',
      'no healthy upstream',
    ),
    'A connection did not come about or broke off. Between whom is not said.',
    [
      ['application', 'in an event of a probe: the container; in its log: what it connects to'],
      ['service', 'a Service without a ready endpoint, or a port nobody listens at'],
      ['cni', 'pods that do not reach each other or the API server'],
      ['cri', 'in an event that quotes the pull: the registry'],
      ['api', "where kubectl printed it, or with the API server's address in it"],
    ],
  ],
  [
    said(
      'i/o timeout',
      '(?:context |client |request )?deadline exceeded',
      '(?:the )?(?:request|operation|connection)? ?timed? ?out\\.?',
      '.{0,80}\\(?Client\\.Timeout (?:or context cancellation|exceeded).{0,80}',
      'net/http: .{0,60}timeout.{0,40}',
      'timeout',
      'rpc error: code = DeadlineExceeded.{0,80}',
      '(?:UND_ERR_\\w*TIMEOUT|ESOCKETTIMEDOUT|AbortError).{0,80}',
    ),
    'Somebody did not answer in time. Who is not said.',
    [
      ['api', "where kubectl printed it, or the API server's address stands in it"],
      ['application', 'a probe, or what the process connects to'],
      ['csi', 'a storage driver, in an event of a volume or claim'],
      ['cri', 'the runtime or a registry, in an event that quotes it'],
      ['admission', 'a webhook, in a refusal that names it'],
    ],
  ],
  [
    said(
      'no such host',
      '.{0,60}(?:temporary failure in )?name resolution(?: failure)?',
      '(?:name or service|server) not known',
      '(?:getaddrinfo )?(?:ENOTFOUND|EAI_\\w+).{0,120}',
      'could not resolve host.{0,120}',
      '.{0,120}server misbehaving',
      'bad address .{0,120}',
      'NXDOMAIN',
      'SERVFAIL',
    ),
    'A name does not resolve. Who asked, and whom, is not said.',
    [
      ['service', "a process in a pod asks the cluster's DNS: the Service does not exist, or the DNS does not answer"],
      ['cri', 'the node asks its own resolver for a registry'],
      ['api', "kubectl asks for the API server's name"],
      ['csi', 'a driver asks for its storage'],
    ],
  ],
  [
    said(
      '.{0,80}certificate has expired.{0,160}',
      '.{0,80}certificate is not yet valid.{0,160}',
      '(?:tls: .{0,120}: )?x509: .{0,300}',
      '(?:remote error: )?tls: .{0,160}',
      'self[- ]signed certificate.{0,60}',
      '.{0,60}certificate verify failed.{0,160}',
      'unable to (?:verify the first|get (?:local )?issuer) certificate',
      '(?:CERT|ERR_TLS|ERR_SSL|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO)_\\w+.{0,120}',
      'Client sent an HTTP request to an HTTPS server.{0,20}',
      '.{0,60}server gave HTTP response to HTTPS client',
    ),
    'A certificate is not accepted, or TLS fails. Whose is not said.',
    [
      ['api', "the API server's, where kubectl printed it; an extension's, where an APIService or a conversion is named"],
      ['admission', "a webhook's, in a refusal that names it"],
      ['cri', "a registry's, in an event that quotes the pull"],
      ['application', 'that of what the process connects to, in its log, or its own behind an HTTPS probe'],
    ],
  ],
  [
    said(
      'HTTP 5\\d\\d\\b.{0,160}',
      '(?:http )?(?:error )?(?:50\\d)(?: [\\w -]{3,30})?(?: \\([\\w ]+\\))?',
      '(?:internal server error|bad gateway|service (?:temporarily )?unavailable|gateway time-?out)',
      'unexpected status(?: code)?:? \\d{3}.{0,60}',
      'invalid character .{0,20}looking for beginning of value',
      'unexpected token .{0,120}JSON.{0,40}',
      '(?:http )?(?:error )?40[04](?: [\\w -]{3,30})?',
    ),
    'A server answers with an error, or with something else than was expected of it. Which one is not said.',
    [
      ['application', "the program behind a Service, or a probe's answer"],
      ['service', 'an ingress or a load balancer without a back end that is ready'],
      ['cri', 'a registry, in an event that quotes the pull'],
      ['api', 'the API server or what stands before it, where kubectl printed it'],
    ],
  ],
  [
    said('exec format error', '.{0,60}cannot execute binary file.{0,40}'),
    'A program was built for another CPU, or is a script without a line that names its interpreter. Which one is not said.',
    [
      ['cri', "the container's entry point: it never started"],
      ['application', 'something that the process started'],
    ],
  ],
  [
    said(
      'no such file or directory',
      '(?:command |file )?not found',
      '\\S{1,80}: (?:command )?not found',
      '(?:no such|unknown) (?:image|container|object)(?:: .{0,120})?',
      '(?:image|volume|resource) not found',
      'manifest unknown(?:: .{0,120})?',
    ),
    'Something is not there. What looked for it is not said.',
    [
      ['application', "in a container's log: a file of the image or of a volume"],
      ['cri', 'the entry point, or an image in a registry'],
      ['kubelet', 'a host path or a subPath'],
      ['csi', 'a volume that the storage no longer has'],
      ['api', 'an object, where kubectl printed it'],
    ],
  ],
  [
    said(
      'address already in use',
      '.{0,80}port is already allocated',
      'EADDRINUSE.{0,120}',
      '.{0,160}already exists',
      'conflict',
      '.{0,40}container name .{0,160} is already in use.{0,300}',
      'the name .{0,80} is already in use.{0,200}',
    ),
    'A name, an address or a port is taken. Where is not said.',
    [
      ['application', 'two processes in one pod, or in the host network, listen at one port'],
      ['cri', 'the runtime still has a container of this name (or docker on this machine does)'],
      ['api', 'an object of this name exists'],
      ['service', 'a load balancer or node port'],
    ],
  ],
  [
    said(
      '(?:too many open files(?: in system)?|cannot allocate memory|out of memory|resource temporarily unavailable|cannot fork)',
      '(?:E[MN]FILE|ENOMEM|EAGAIN)\\b.{0,120}',
    ),
    'Memory, processes or file handles are used up. Whose is not said.',
    [
      ['application', "in a container's log: its own limits"],
      ['kubelet', "OOMKilled in the container's status: its memory limit"],
      ['cri', "in an event that quotes the runtime: the node's"],
    ],
  ],
  [
    said(
      'read-only file system',
      'EROFS.{0,120}',
      'input/output error',
      'stale (?:NFS )?file handle',
      '(?:device or )?resource busy',
      'device is busy',
      'transport endpoint is not connected',
      'invalid argument',
      'bad superblock',
      'structure needs cleaning',
    ),
    'A file system refuses. Which one is not said.',
    [
      ['application', "in a container's log: readOnlyRootFilesystem, a read-only mount, or its volume"],
      ['csi', 'in an event FailedMount, or of a volume: the storage'],
      ['kubelet', "the node's own disk"],
    ],
  ],
  [
    said('(?:quota|limit) exceeded', 'exceeded (?:quota|limit)'),
    'A quota or limit is reached. Whose is not said.',
    [
      ['admission', 'a ResourceQuota, where the text names one'],
      ['csi', "the storage's or the cloud's"],
      ['cri', "a registry's"],
      ['application', 'what the process calls'],
    ],
  ],
  [
    said(
      '(?:signal: )?killed',
      'SIG(?:KILL|TERM|SEGV|ABRT)',
      '(?:signal: )?terminated',
      '(?:command terminated with |exited with |process exited with )?(?:exit )?(?:code|status):? \\d{1,3}',
      'segmentation fault(?: \\(core dumped\\))?',
    ),
    "A process ended. Why is not said: who sent a signal stands in the container's status and in the events.",
    [
      ['application', 'it ended by itself'],
      ['kubelet', 'a probe, the memory limit (only the reason OOMKilled proves it), an eviction or the grace period ended it'],
    ],
  ],
  [
    /^(?:[Ee]rror: )?rpc error: code = \w+ desc = .{1,600}$/s,
    'A server that is asked by gRPC refuses. Which one is not said.',
    [
      ['cri', 'the runtime, in an event that tells of a sandbox, an image or a container'],
      ['csi', 'a storage driver, in an event of a volume or claim'],
      ['api', 'etcd, where the API server quotes it'],
      ['application', 'what the process connects to, in its log'],
    ],
  ],
  [
    /[Oo]ut of memory: Kill(?:ed)? process(?: \d+)?|oom-kill(?:er)?\b/,
    'The kernel of a node ended a process for memory. "Memory cgroup" in its line means the limit of a container or pod, its absence the node as a whole.',
    [
      ['kubelet', 'a container reached its own memory limit: its status then says OOMKilled'],
      ['kubelet', 'the node ran out of memory, and this process was picked'],
    ],
    'kubectl describe node NODE',
  ],
  // Helm keeps each revision of a release in a Secret, with its state; the cluster was not asked for more.
  [
    /another operation \(install\/upgrade\/rollback\) is in progress/,
    'Helm holds the release for another install, upgrade or rollback. No layer of the cluster is involved.',
    [
      ['', 'one that still runs, from another terminal or pipeline'],
      ['', 'one that was killed and left its revision pending: a rollback sets it free'],
    ],
    'helm -n NAMESPACE history RELEASE',
  ],
  [
    /cannot re-?use a name that is still in use/,
    'Helm knows a release of this name in this namespace. No layer of the cluster is involved.',
    [
      ['', 'it is installed, and is to be upgraded instead'],
      ['', 'an install that failed: its revision stays until it is uninstalled'],
    ],
    'helm -n NAMESPACE list --all',
  ],
  [
    /cannot be imported into the current release/,
    'An object of the chart exists already and belongs to no release of Helm, or to another. No layer of the cluster is involved.',
    [
      ['', "made by hand or by another tool: labels and annotations make it Helm's own"],
      ['', 'of another release, or of one that was uninstalled with its objects kept'],
    ],
    "kubectl -n NAMESPACE get KIND NAME -o jsonpath='{.metadata.labels} {.metadata.annotations}'",
  ],
  [
    /has no deployed releases/,
    'Helm has only failed or pending revisions of this release to go on from. No layer of the cluster is involved.',
    [['', 'its first install failed: uninstall it, or roll back where a revision was deployed once']],
    'helm -n NAMESPACE history RELEASE',
  ],
  // docker's daemon speaks so to the docker command as well as, behind an event's own words, to the kubelet.
  [
    /^(?:docker: )?Error response from daemon: /,
    'A docker daemon says so. Which one is not said.',
    [
      ['', 'docker on the machine where you typed this: no part of a cluster'],
      ['cri', 'that of a node, in an event of a pod'],
    ],
  ],
];

/** The sentence of everybody that a text ends in, if any. */
export function bareIn(text: string): Open | null {
  for (const [phrase, means, behind, next] of PHRASES) {
    const found = phrase.exec(text);
    if (!found) continue;
    const words = found[0]
      .replace(/^(?:: |\) |\] |\(\d+: )/, '')
      .replace(/^["']|["'.!)]+$|: ["'/].*$/g, '')
      .trim();
    return { words: words.length > 80 ? '' : words, means, behind, next: next ?? 'kubectl strata -n NAMESPACE TYPE/NAME' };
  }
  return null;
}

/** What is left of a text without the sentences of everybody. */
export const withoutBare = (text: string): string => PHRASES.reduce((left, [phrase]) => left.replace(phrase, ''), text);
