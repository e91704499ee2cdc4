import { createServer, type Server } from 'node:net';
import { waitFor } from './wait.ts';

/** An abstract socket: the kernel lets go of it when its holder dies, however it dies. */
const ADDRESS = '\0kubectl-strata.test.cluster';

const take = (): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(ADDRESS, () => resolve(server));
  });

/** Does `work` while no other process of this machine does any such work: a cluster that goes down must not take the next one along. */
export async function exclusively<T>(work: () => Promise<T>): Promise<T> {
  const held = await waitFor('the test cluster of another process coming up or going down', async () => ({ done: await take() }), 180_000, 100);
  try {
    return await work();
  } finally {
    held.close();
  }
}
