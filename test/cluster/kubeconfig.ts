import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiServer, CLOSED_PORT, HOST_IP, paths } from './layout.ts';

/** A kubeconfig that points at the test cluster, in whole or with one thing wrong. */
export interface KubeconfigOptions {
  name: string;
  server?: string;
  /** PEM. */
  ca?: string;
  token?: string;
  /** PEM pair. */
  client?: { cert: string; key: string };
  tlsServerName?: string;
}

export const kubeconfigPath = (name: string): string => join(paths.kubeconfigs, `${name}.yaml`);

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Writes `<name>.yaml` (as JSON, which is YAML) and returns its path. */
export function writeKubeconfig(options: KubeconfigOptions): string {
  const { name, client } = options;
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    contexts: [{ name, context: { cluster: 'strata-test', user: name } }],
    clusters: [
      {
        name: 'strata-test',
        cluster: {
          server: options.server ?? apiServer,
          ...(options.ca === undefined ? {} : { 'certificate-authority-data': base64(options.ca) }),
          ...(options.tlsServerName === undefined ? {} : { 'tls-server-name': options.tlsServerName }),
        },
      },
    ],
    users: [
      {
        name,
        user: {
          ...(options.token === undefined ? {} : { token: options.token }),
          ...(client === undefined ? {} : { 'client-certificate-data': base64(client.cert), 'client-key-data': base64(client.key) }),
        },
      },
    ],
  };
  mkdirSync(paths.kubeconfigs, { recursive: true });
  const path = kubeconfigPath(name);
  writeFileSync(path, JSON.stringify(config, null, 2));
  chmodSync(path, 0o600);
  return path;
}

export const closedServer = `https://${HOST_IP}:${CLOSED_PORT}`;
export const nowhereServer = 'https://api.strata.invalid:6443';
