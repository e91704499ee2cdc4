import { connect } from 'node:net';
import { join } from 'node:path';
import { HOST_IP, REGISTRY_PORT, WEBHOOK_PORT } from '../layout.ts';
import { nodeRuns } from '../node-typescript.ts';
import { REGISTRY_SERVER, type Spec, WEBHOOK_SERVER } from '../process.ts';

const accepts = (port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, HOST_IP, () => {
      socket.destroy();
      resolve();
    });
    socket.on('error', reject);
  });

const server = (name: string, file: string, port: number): Spec => ({
  name,
  argv: nodeRuns(join(import.meta.dirname, '..', file)),
  ready: () => accepts(port),
});

export const registry = (): Spec => server('registry', REGISTRY_SERVER, REGISTRY_PORT);
export const webhooks = (): Spec => server('webhooks', WEBHOOK_SERVER, WEBHOOK_PORT);
