import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { HOST_IP, REGISTRY_PORT } from '../layout.ts';
import { REGISTRY_SERVER, type Spec } from '../process.ts';

const accepts = (): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(REGISTRY_PORT, HOST_IP, () => {
      socket.destroy();
      resolve();
    });
    socket.on('error', reject);
  });

/** Node does not look for packages beside the script but from the working folder, so the loader is named in full. */
const typescript = (): string => pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

export const registry = (): Spec => ({
  name: 'registry',
  argv: [process.execPath, '--import', typescript(), join(import.meta.dirname, '..', REGISTRY_SERVER)],
  ready: accepts,
});
