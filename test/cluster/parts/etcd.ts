import { get } from 'node:http';
import { join } from 'node:path';
import { paths } from '../layout.ts';
import type { Spec } from '../process.ts';
import { settings } from '../settings.ts';

const clientUrl = (index: number): string => `http://127.0.0.1:${23790 + index}`;
const peerUrl = (index: number): string => `http://127.0.0.1:${23890 + index}`;

export const etcdName = (index: number): string => (index === 0 ? 'etcd' : `etcd-${index + 1}`);
const members = (): number[] => [...Array(settings().etcdMembers).keys()];

export const etcdEndpoints = (): string => members().map(clientUrl).join(',');

/** Any HTTP answer at all; `/health` of one member says false for the whole cluster while there is no quorum. */
const healthy = (index: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const req = get(`${clientUrl(index)}/health`, { timeout: 2_000 }, (res) => {
      res.resume();
      if (res.statusCode === 200) resolve();
      else reject(new Error(`/health: ${res.statusCode}`));
    });
    req.on('timeout', () => req.destroy(new Error('/health: no answer')));
    req.on('error', reject);
  });

export function etcd(index: number): Spec {
  const name = etcdName(index);
  return {
    name,
    argv: [
      '/usr/bin/etcd',
      `--name=${name}`,
      `--data-dir=${join(paths.etcd, name)}`,
      `--listen-client-urls=${clientUrl(index)}`,
      `--advertise-client-urls=${clientUrl(index)}`,
      `--listen-peer-urls=${peerUrl(index)}`,
      `--initial-advertise-peer-urls=${peerUrl(index)}`,
      `--initial-cluster=${members().map((i) => `${etcdName(i)}=${peerUrl(i)}`).join(',')}`,
      '--initial-cluster-token=strata-test',
      '--unsafe-no-fsync',
      '--logger=zap',
      '--log-level=warn',
    ],
    ready: () => healthy(index),
  };
}

export const etcds = (): Spec[] => members().map(etcd);
