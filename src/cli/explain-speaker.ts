/**
 * Who speaks is known by how a text begins, and decides what its end means: "i/o timeout" is the registry's behind
 * "Failed to pull image", the pod network's behind "Readiness probe failed", and the API server's behind none of them.
 */
const SPEAKERS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^Pod was rejected: /, ['evictions']],
  [/NodeExpandVolume/, ['provisioning', 'mounts']],
  [/mounted twice with different SELinux/, ['mounts']],
  [/\b(?:Readiness|Liveness|Startup) probe (?:failed|error)/, ['probes']],
  [
    /^mount failed: |mount\.(?:nfs|cifs)\b|MountVolume|(?:Un)?[Mm]ap(?:Volume|Device)\.|(?:Attach|Detach|Unmount)(?:Volume|Device)\.|Unable to (?:attach or )?mount volumes|kubernetes\.io\/csi: |Multi-Attach error|^Failed to (?:attach|detach) volume "/,
    ['mounts'],
  ],
  [/\d+\/\d+ nodes are available|PreBind|binding volumes: |running "?\w+"? filter plugin/, ['scheduling']],
  [/provision(?:ing)? (?:volume|failed)|by resizer|[Cc]reate snapshot|StorageClass "|syncing claim|volume resize/i, ['provisioning']],
  [
    /pod sandbox|PodSandbox|SetupNetwork|for sandbox "|container to (?:CNI )?network "|CNI request failed|plugin type="|cni (?:plugin|config)|NetworkPluginNotReady|NetworkNotReady|error killing pod/i,
    ['sandboxes'],
  ],
  [
    /[Ff]ailed to pull image|[Ii]mage pull failed|pulling image|ErrImage|ImagePull|failed to pull and unpack|failed to resolve reference|pinging (?:container|docker) registry/,
    ['image-pulls'],
  ],
  [
    /sync(?:ing)? (?:secret|configmap) cache|"(?:Start|Create)Container"|OCI runtime|(?:containerd|crio|cri-dockerd|docker)\.sock\b|runc |container_linux\.go|containerd (?:task|container)|shim task|prestart hook|start container|container process|PostStart|preStop/i,
    ['containers'],
  ],
  [/the HPA was unable|compute the replica count|fetch metrics from|invalid metrics|unable to get metrics/, ['autoscaling']],
  [/[Dd]eletion of namespace|Discovery failed for some groups|delete all resource types/, ['deletions']],
  [/(?:syncing|ensure|updating) load balancer|(?:build|deploy) model/, ['services']],
  [/has timed out progressing|\bjob \S+ failed: BackoffLimitExceeded/, ['workloads']],
  [/^Failed to allocate IP for "|^Insufficient Node information: |^Failed (?:build|deploy) model/, ['services']],
  // Whoever makes machines speaks of capacity and limits as storage does.
  [/[Nn]ode ?(?:claim|pool|group)|scale-up|failed to register within/, ['scheduling', 'components']],
  // The kernel's own lines speak of cgroups as a runtime does.
  [/[Oo]ut of memory: Kill|oom-kill/, []],
  [/^(?:[Ff]ailed to do request: )?(?:Get|Head) "https?:\/\/[^/"]+\/v2\//, ['image-pulls']],
  // The API server says so of the kubelet that it asks for logs and exec, or hands on what that answered.
  [/error dialing backend: |unable to upgrade connection: |https:\/\/[^/"\s]+:10250\//, ['connections']],
  // client-go, before anybody was asked.
  [/no configuration has been provided|getting credentials: |:8080 was refused/, ['connections']],
  // Helm's own words are of releases; what it passes on is the API server's.
  [/^(?:Error: )?(?:INSTALLATION|UPGRADE|ROLLBACK|UNINSTALL) FAILED: /, ['api-refusals', 'connections']],
  // The API server names resources in the plural (secrets "db" not found); in the singular a component looked for them.
  [/^(?:Error: )?(?:secret|configmap) "[^"]+" not found/, ['containers']],
  [/^persistentvolumeclaim "[^"]+" not found/, ['scheduling']],
  [/^storageclass\S* "[^"]+" not found/, ['provisioning']],
  // docker's daemon says this to the docker command, too; what kubelet passes on stands behind an event's own words.
  [/^(?:docker: )?Error response from daemon: /, []],
  // Programs of whoever pastes, not of the cluster: their words say nothing of a layer.
  [/^(?:npm ERR!|fatal: |(?:curl|wget|tar|git|ssh|scp|rsync|bash|sh|make|pip3?|apt|terraform): )/, []],
  // So a process says its last words, whichever its language.
  [/^(?:panic: |Traceback |Exception in thread |Caused by: |(?:(?:time|ts|t)=\S+ )?level=(?:fatal|error|panic)\b)/, ['terminations']],
];

/** A command printed it for whoever ran it, and has ended; a program that goes on running wrote it to its log or an event; or nobody can tell. */
export type Writer = 'command' | 'controller' | 'unknown';

// kubectl's cmdutil.CheckErr and its builders, Helm, Terraform.
const COMMAND =
  /(?:^|\n)(?:Error from server \(|[Ee]rror: |error when (?:applying|replacing|patching|creating|deleting) |error: )|\berror when (?:applying|replacing|patching)\b|\b(?:INSTALLATION|UPGRADE|ROLLBACK|UNINSTALL) FAILED\b/;
// klog's and zap's lines, the words of controllers and of controller-runtime, the columns of an event.
const CONTROLLER =
  /(?:^|\n)[EWI]\d{4} \d\d:\d\d:\d\d|Reconciler error|[Ee]rror syncing|"controller":|\brequeu(?:e|ing)|\b[Ff]ailed to update (?:status|lock|lease)|(?:^|\n)(?:\S+(?: \(x[^)]*\))?\s{2,})?Warning\s{2,}/;

/** By the form of a whole text as it was pasted. */
export const writerOf = (given: string): Writer => (CONTROLLER.test(given) ? 'controller' : COMMAND.test(given) ? 'command' : 'unknown');

// Asked of somebody else than the API server: a webhook, an extender, a registry.
const ASKED = /(?:^|: )(?:Get|Post|Put|Patch|Delete|Head) "?https?:\/\/[^/"\s]+(\/[^"?\s]*)?/;
const API_PATH = /^\/?$|\/(?:apis?|version|openapi|readyz|livez|healthz)(?:\/|$)/;

/** Who calls the API server names it, its objects or its port: kubectl, client-go's reflectors, Helm, the kubelet. */
const OF_THE_API = /^\[[-+]\]|\bAPI ?(?:server|group)|\bthe server\b|from server|[Kk]ube|k8s\.io|etcdserver|\*v\d\w*\.|:6443\b|\/apis?[/?]/i;
/** Sentences of the API server's own, whoever passes them on; and the ports of etcd, which it alone asks. */
const API_SAYS = /failed calling webhook "|conversion webhook for |\b[A-Za-z][\w.]* "[^"]*" is (?:forbidden|invalid)|\bUser "[^"]+" cannot \w+ |:23(?:79|80)\b/;

/** Refusals and connections are what people paste; the other tables follow in their own order. */
const FIRST: readonly string[] = ['api-refusals', 'connections'];

/** Whether a text tells by itself who speaks, so that words which everybody uses are those of that one. */
export const speakerOf = (message: string): boolean => [...SPEAKERS.map(([begins]) => begins), OF_THE_API, API_SAYS].some((speaks) => speaks.test(message));

/** The families of texts that a message may belong to, likeliest first: those of its speaker alone, or all where nobody is known by it. */
export function familiesFor(message: string, all: readonly string[]): readonly string[] {
  const spoken = SPEAKERS.find(([begins]) => begins.test(message))?.[1];
  if (spoken) return spoken;
  const asked = ASKED.exec(message);
  if (asked && !API_PATH.test(asked[1] ?? '')) return ['api-refusals'];
  const first = FIRST.filter((family) => all.includes(family) && (family !== 'connections' || OF_THE_API.test(message)));
  return [...first, ...all.filter((family) => !FIRST.includes(family))];
}
