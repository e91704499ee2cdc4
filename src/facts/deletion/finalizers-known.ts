/** Who removes a finalizer whose name is fixed by Kubernetes or by a widely used controller. */
export interface KnownFinalizer {
  match: RegExp;
  /** In words, as a person would ask for it. */
  manager: string;
  /**
   * component: a control-plane component by its Lease · server: the API server itself · driver: the storage driver of the object ·
   * workload: whatever runs under one of `names`.
   */
  by: 'component' | 'server' | 'driver' | 'workload';
  names: readonly string[];
  /** What it waits for, in words. */
  waits: string;
}

const KCM = ['kube-controller-manager'];
const row = (match: RegExp, manager: string, by: KnownFinalizer['by'], names: readonly string[], waits: string): KnownFinalizer => ({
  match,
  manager,
  by,
  names,
  waits,
});

export const KNOWN: readonly KnownFinalizer[] = [
  row(/^kubernetes$/, 'the namespace controller', 'component', KCM, 'everything in the namespace to be gone'),
  row(/^foregroundDeletion$/, 'the garbage collector', 'component', KCM, 'its dependents to be gone'),
  row(/^orphan$/, 'the garbage collector', 'component', KCM, 'its dependents to be released'),
  row(/^kubernetes\.io\/pvc-protection$/, 'the claim protection controller', 'component', KCM, 'every pod that names it to be gone, finished ones too'),
  row(/^kubernetes\.io\/pv-protection$/, 'the volume protection controller', 'component', KCM, 'the volume not to be bound'),
  row(/^kubernetes\.io\/pv-controller$/, 'the volume controller', 'component', KCM, 'the volume behind it to be deleted'),
  row(/^kubernetes\.io\/vac-protection$/, 'the class protection controller', 'component', KCM, 'no claim or volume to use the class'),
  row(/^batch\.kubernetes\.io\/job-tracking$/, 'the Job controller', 'component', KCM, 'the Job to count the pod'),
  row(/^resource\.kubernetes\.io\/delete-protection$/, 'the resource claim controller', 'component', KCM, 'no pod to hold the claim'),
  row(/^networking\.k8s\.io\/service-cidr-finalizer$/, 'the ServiceCIDR controller', 'component', KCM, 'no Service to use an address of the range'),
  row(
    /^service\.kubernetes\.io\/load-balancer-cleanup$/,
    'the cloud controller',
    'component',
    ['cloud-controller-manager'],
    "the cloud's load balancer to be deleted",
  ),
  row(/^customresourcecleanup\.apiextensions\.k8s\.io$/, 'the API server', 'server', [], 'every object of the kind to be gone'),
  row(/^external-provisioner\.volume\.kubernetes\.io\/finalizer$/, 'the storage driver', 'driver', [], 'the volume behind it to be deleted'),
  row(/^provisioner\.storage\.kubernetes\.io\//, 'the storage driver', 'driver', [], 'a clone or snapshot of it to be finished'),
  row(/^external-attacher\//, 'the attacher of the storage driver', 'driver', [], 'the volume to be detached'),
  row(
    /^snapshot\.storage\.kubernetes\.io\//,
    'the snapshot controller',
    'workload',
    ['snapshot-controller', 'csi-snapshotter'],
    'its snapshots to be finished or gone',
  ),
  row(
    /^(?:service|ingress|group\.ingress)\.k8s\.aws\//,
    'the AWS load balancer controller',
    'workload',
    ['aws-load-balancer-controller'],
    'load balancer and security groups to be deleted',
  ),
  row(/^resources-finalizer\.argocd\.argoproj\.io/, 'Argo CD', 'workload', ['argocd-application-controller'], 'everything it deployed to be pruned'),
  row(
    /^(?:pre|post)-delete-finalizer\.argocd\.argoproj\.io/,
    'Argo CD',
    'workload',
    ['argocd-application-controller'],
    'the hooks of its deletion to run and to be cleared away',
  ),
  row(/^argocd\.argoproj\.io\/hook-finalizer$/, 'Argo CD', 'workload', ['argocd-application-controller'], 'the hook to be cleared away'),
  row(
    /^finalizers\.fluxcd\.io$/,
    'Flux',
    'workload',
    ['kustomize-controller', 'helm-controller', 'source-controller', 'notification-controller'],
    'everything it deployed to be pruned',
  ),
];

/** Who sets and removes it; undefined for one that is nobody's in the table. */
export const knownFinalizer = (name: string): KnownFinalizer | undefined => KNOWN.find((each) => each.match.test(name));
