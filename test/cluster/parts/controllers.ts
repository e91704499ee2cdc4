import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { get } from '../api.ts';
import { pki } from '../credentials.ts';
import { kubeconfigPath } from '../kubeconfig.ts';
import { binary, paths } from '../layout.ts';
import type { Spec } from '../process.ts';

/** Shorter than Kubernetes' 15/10/2, so that a stopped component shows soon; a busy machine may still pause for a few seconds. */
const LEASE = { leaseDuration: '10s', renewDeadline: '8s', retryPeriod: '1s' };

/** Leading, which needs the lease of a predecessor to run out, and not only started. */
const leads = (name: string) => async (since: number): Promise<void> => {
  const lease = await get('coordination.k8s.io/v1', 'Lease', 'kube-system', name);
  const renewed = Date.parse(lease?.spec?.renewTime ?? '');
  if (!(renewed > since && Date.now() - renewed < 3_000)) throw new Error(`lease ${name} renewed ${lease?.spec?.renewTime ?? 'never'}`);
};

export const kubeControllerManager = (): Spec => ({
  name: 'kube-controller-manager',
  argv: [
    binary('kube-controller-manager'),
    `--kubeconfig=${kubeconfigPath('kube-controller-manager')}`,
    '--bind-address=127.0.0.1',
    '--secure-port=21257',
    `--cert-dir=${join(paths.pki, 'kube-controller-manager')}`,
    '--authentication-skip-lookup',
    '--allocate-node-cidrs=false',
    '--use-service-account-credentials',
    `--service-account-private-key-file=${pki.accountKey}`,
    `--root-ca-file=${pki.ca}`,
    `--leader-elect-lease-duration=${LEASE.leaseDuration}`,
    `--leader-elect-renew-deadline=${LEASE.renewDeadline}`,
    `--leader-elect-retry-period=${LEASE.retryPeriod}`,
    '--node-monitor-period=1s',
    '--node-monitor-grace-period=8s',
    '--attach-detach-reconcile-sync-period=5s',
    '--pvclaimbinder-sync-period=3s',
    '--horizontal-pod-autoscaler-sync-period=3s',
    '--namespace-sync-period=10s',
    '--kube-api-qps=200',
    '--kube-api-burst=400',
  ],
  ready: leads('kube-controller-manager'),
});

const schedulerConfig = join(paths.config, 'kube-scheduler.yaml');

export function writeSchedulerConfig(): void {
  const config = {
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    clientConnection: { kubeconfig: kubeconfigPath('kube-scheduler'), qps: 200, burst: 400 },
    leaderElection: { leaderElect: true, ...LEASE },
    podInitialBackoffSeconds: 1,
    podMaxBackoffSeconds: 4,
  };
  writeFileSync(schedulerConfig, JSON.stringify(config));
}

export const kubeScheduler = (): Spec => ({
  name: 'kube-scheduler',
  argv: [
    binary('kube-scheduler'),
    `--config=${schedulerConfig}`,
    '--bind-address=127.0.0.1',
    '--secure-port=21259',
    `--cert-dir=${join(paths.pki, 'kube-scheduler')}`,
  ],
  ready: leads('kube-scheduler'),
});
