/**
 * Who speaks is known by how a text begins, and decides what its end means: "i/o timeout" is the registry's behind
 * "Failed to pull image", the pod network's behind "Readiness probe failed", and the API server's behind none of them.
 */
const SPEAKERS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\b(?:Readiness|Liveness|Startup) probe (?:failed|error)/, ['probes']],
  [/MountVolume|(?:Un)?[Mm]ap(?:Volume|Device)\.|(?:Attach|Detach|Unmount)(?:Volume|Device)\.|Unable to (?:attach or )?mount volumes|kubernetes\.io\/csi: |Multi-Attach error/, ['mounts']],
  [/provision(?:ing)? (?:volume|failed)|NodeExpandVolume|by resizer|[Cc]reate snapshot|StorageClass "|syncing claim|volume resize/i, ['provisioning']],
  [/pod sandbox|PodSandbox|SetupNetwork|for sandbox "|plugin type="|cni (?:plugin|config)|NetworkPluginNotReady|NetworkNotReady|error killing pod/i, ['sandboxes']],
  [/\d+\/\d+ nodes are available|PreBind|binding volumes: |running "?\w+"? filter plugin/, ['scheduling']],
  [/[Ff]ailed to pull image|pulling image|ErrImage|ImagePull|failed to pull and unpack|failed to resolve reference|pinging (?:container|docker) registry/, ['image-pulls']],
  [/sync(?:ing)? (?:secret|configmap) cache|"(?:Start|Create)Container"|OCI runtime|runc |container_linux\.go|containerd (?:task|container)|shim task|start container|container process|PostStart|preStop/i, ['containers']],
  [/the HPA was unable|compute the replica count|fetch metrics from|invalid metrics|unable to get metrics/, ['autoscaling']],
  [/[Dd]eletion of namespace|Discovery failed for some groups|delete all resource types/, ['deletions']],
  [/(?:syncing|ensure) load balancer|(?:build|deploy) model/, ['services']],
  [/has timed out progressing/, ['workloads']],
  [/^(?:[Ff]ailed to do request: )?(?:Get|Head) "https?:\/\/[^/"]+\/v2\//, ['image-pulls']],
  // Helm's own words are of releases; what it passes on is the API server's.
  [/^(?:Error: )?(?:INSTALLATION|UPGRADE|ROLLBACK|UNINSTALL) FAILED: /, ['api-refusals', 'connections']],
  // The API server names resources in the plural (secrets "db" not found); in the singular a component looked for them.
  [/^(?:Error: )?(?:secret|configmap) "[^"]+" not found/, ['containers']],
  [/^persistentvolumeclaim "[^"]+" not found/, ['scheduling']],
  [/^storageclass\S* "[^"]+" not found/, ['provisioning']],
  // Programs of whoever pastes, not of the cluster: their words say nothing of a layer.
  [/^(?:npm ERR!|fatal: |(?:curl|wget|tar|git|ssh|scp|rsync|bash|sh|make|pip3?|apt|terraform): )/, []],
  // kubectl puts a prefix before these; bare they are a process' own last words.
  [/^(?:Error: )?(?:dial (?:tcp|udp)|listen tcp|lookup )|^(?:mkdir|open|write|read|stat|rename|chown) \/[^:]*: /, ['terminations']],
];

// Asked of somebody else than the API server: a webhook, an extender, a registry.
const ASKED = /(?:^|: )(?:Get|Post|Put|Patch|Delete|Head) "?https?:\/\/[^/"\s]+(\/[^"?\s]*)?/;
const API_PATH = /^\/?$|\/(?:apis?|version|openapi|readyz|livez|healthz)(?:\/|$)/;

/** Who calls the API server names it, its objects or its port: kubectl, client-go's reflectors, Helm, the kubelet. */
const OF_THE_API = /\bAPI ?(?:server|group)|\bthe server\b|from server|[Kk]ube|k8s\.io|etcdserver|\*v\d\w*\.|:6443\b|\/apis?\//i;
/** Nothing but the words of a connection, as Node.js, Go or HTTP have them: a client of Kubernetes prints no more at times. */
const BARE = /^(?:(?:error|request): )?(?:HTTP \d{3}|\[[-+]\]|invalid character|(?:connect|read|write|getaddrinfo) E[A-Z]|E[A-Z]{3,}\b|(?:UND_ERR|CERT|ERR|UNABLE|SELF|DEPTH)_|[A-Z_]{12,}$|x509: |(?:remote error: )?tls: |net\/http: |http2?: |proxyconnect |socket |stream error|(?:unexpected )?EOF|i\/o timeout|certificate |self[- ]signed |unable to (?:verify|get)|unauthorized|forbidden|Client |\d{3}\b)/i;

/** Refusals and connections are what people paste; the other tables follow in their own order. */
const FIRST: readonly string[] = ['api-refusals', 'connections'];

/** The families of texts that a message may belong to, likeliest first: those of its speaker alone, or all where nobody is known by it. */
export function familiesFor(message: string, all: readonly string[]): readonly string[] {
  const spoken = SPEAKERS.find(([begins]) => begins.test(message))?.[1];
  if (spoken) return spoken;
  const asked = ASKED.exec(message);
  if (asked && !API_PATH.test(asked[1] ?? '')) return ['api-refusals'];
  const first = FIRST.filter((family) => all.includes(family) && (family !== 'connections' || OF_THE_API.test(message) || BARE.test(message)));
  return [...first, ...all.filter((family) => !FIRST.includes(family))];
}
