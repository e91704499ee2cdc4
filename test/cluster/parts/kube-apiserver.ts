import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call } from '../api.ts';
import { pki } from '../credentials.ts';
import { API_PORT, binary, HOST_IP, paths, SERVICE_CIDR } from '../layout.ts';
import type { Spec } from '../process.ts';
import { settings } from '../settings.ts';
import { etcdEndpoints } from './etcd.ts';

const auditPolicy = join(paths.config, 'audit-policy.yaml');

export function writeApiServerConfig(): void {
  const policy = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', omitStages: ['RequestReceived'], rules: [{ level: 'Metadata' }] };
  writeFileSync(auditPolicy, JSON.stringify(policy));
}

async function answersReady(): Promise<void> {
  const reply = await call('GET', '/readyz', undefined, { limitMs: 3_000 });
  if (reply.status !== 200) throw new Error(`/readyz: ${reply.status}\n${reply.text}`);
}

export const kubeApiserver = (): Spec => ({
  name: 'kube-apiserver',
  argv: [
    binary('kube-apiserver'),
    `--etcd-servers=${etcdEndpoints()}`,
    `--bind-address=${HOST_IP}`,
    `--advertise-address=${HOST_IP}`,
    `--secure-port=${API_PORT}`,
    `--tls-cert-file=${pki.serverCert}`,
    `--tls-private-key-file=${pki.serverKey}`,
    `--client-ca-file=${pki.ca}`,
    `--token-auth-file=${paths.tokens}`,
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    '--allow-privileged=true',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${pki.accountPublic}`,
    `--service-account-signing-key-file=${pki.accountKey}`,
    `--service-cluster-ip-range=${SERVICE_CIDR}`,
    // The host has no kube-proxy: webhooks and APIServices are called at the addresses of their endpoints.
    '--enable-aggregator-routing=true',
    '--kubelet-preferred-address-types=InternalIP',
    '--default-not-ready-toleration-seconds=10',
    '--default-unreachable-toleration-seconds=10',
    '--event-ttl=3h',
    `--request-timeout=${settings().requestTimeout}`,
    `--audit-policy-file=${auditPolicy}`,
    `--audit-log-path=${paths.audit}`,
    '--audit-log-maxsize=1000',
  ],
  ready: answersReady,
  stopLimitMs: 3_000,
});
