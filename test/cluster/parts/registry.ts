import { connect } from 'node:net';
import { join } from 'node:path';
import { HOST_IP, REGISTRY_PORT } from '../layout.ts';
import { nodeRuns } from '../node-typescript.ts';
import { REGISTRY_SERVER, type Spec } from '../process.ts';

const accepts = (): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(REGISTRY_PORT, HOST_IP, () => {
      socket.destroy();
      resolve();
    });
    socket.on('error', reject);
  });

export const registry = (): Spec => ({
  name: 'registry',
  argv: nodeRuns(join(import.meta.dirname, '..', REGISTRY_SERVER)),
  ready: accepts,
});
