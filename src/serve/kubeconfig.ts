import { rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Served } from './server.ts';

export interface OwnKubeconfig {
  path: string;
  /** At the very end of the process, too: synchronous. */
  remove(): void;
}

/** A kubeconfig of its own in a folder of its own, for its owner's eyes; the user's is neither read nor written. JSON is YAML. */
export async function writeKubeconfig({ url, token, certificate }: Served, namespace: string | undefined): Promise<OwnKubeconfig> {
  const folder = await mkdtemp(join(tmpdir(), 'kubectl-strata-serve-'));
  const path = join(folder, 'kubeconfig');
  const name = 'recording';
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster: { server: url, 'certificate-authority-data': Buffer.from(certificate).toString('base64') } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name, ...(namespace ? { namespace } : {}) } }],
  };
  await writeFile(path, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  return { path, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
