import { apply, call, get, list, patch, pathOf, type Obj } from '../api.ts';
import { sleep, waitFor } from '../wait.ts';
import type { Experiment } from './experiment.ts';
import { container, deployment, webContainer } from './objects.ts';
import { LIMIT, untilAvailable } from './observe.ts';

const release = (name: string): Obj => deployment('e2', 'web', { replicas: 2, container: webContainer({ env: [{ name: 'RELEASE', value: name }] }) });

const revisionOf = (obj: Obj): string => obj.metadata.annotations?.['deployment.kubernetes.io/revision'];

const rolledBack: Experiment = {
  id: 'E2',
  covers: ['E2', 'K77', 'K90'],
  title: 'A new template is rolled out and rolled back; the ReplicaSets of both are kept',
  namespace: 'e2',
  fixture: 'e2-rolled-back',
  arrange: async () => {
    for (const name of ['1', '2', '1']) {
      await apply(release(name));
      await untilAvailable('e2', 'web');
    }
  },
  until: async () => {
    // The first ReplicaSet is taken again and becomes revision 3.
    await waitFor(
      'revisions 2 and 3',
      async () => {
        const sets = await list('apps/v1', 'ReplicaSet', 'e2');
        const seen = sets.map((set) => `${revisionOf(set)}: ${set.status.replicas}`).sort();
        return seen.join() === '2: 0,3: 2' ? { done: seen } : { saw: seen };
      },
      LIMIT,
    );
  },
  expect: { verdict: 'healthy', roots: [] },
  trace: { target: 'deploy/web', says: [/ReplicaSet\/web-\w+ revision 2, kept for rollback, 0 pods/, /ReplicaSet\/web-\w+ revision 3,/] },
};

const putBack: Experiment = {
  id: 'E17',
  covers: ['E17', 'K73', 'K74', 'K90'],
  title: 'A ReplicaSet is scaled by hand, and its Deployment puts it back',
  namespace: 'e17',
  fixture: 'e17-replicaset-put-back',
  arrange: async () => {
    await apply(deployment('e17', 'web', { replicas: 2, container: webContainer() }));
    await untilAvailable('e17', 'web');
    const [set] = await list('apps/v1', 'ReplicaSet', 'e17');
    await patch('apps/v1', 'ReplicaSet', 'e17', set.metadata.name, { spec: { replicas: 4 } });
  },
  until: async () => {
    await waitFor(
      'the ReplicaSet put back',
      async () => {
        const [set] = await list('apps/v1', 'ReplicaSet', 'e17');
        return set.metadata.generation >= 3 && set.spec.replicas === 2 ? { done: set } : { saw: set };
      },
      LIMIT,
    );
    await untilAvailable('e17', 'web');
  },
  expect: { verdict: 'healthy', roots: [] },
  trace: { target: 'deploy/web', says: [/set to 4 by another hand and put back to 2 by its Deployment/] },
};

let fighting: Promise<void> | undefined;
let over = false;

/** A whole manifest with its own number, as a GitOps tool and a release tool apply it. */
async function turn(manager: string, replicas: number): Promise<void> {
  const path = await pathOf('apps/v1', 'Deployment', 'e18', 'web');
  const manifest = deployment('e18', 'web', { replicas, container: container() });
  const reply = await call('PATCH', `${path}?fieldManager=${manager}&force=true`, manifest, { type: 'application/apply-patch+yaml' });
  if (reply.status >= 300) throw new Error(`${manager}: ${reply.status} ${reply.text}`);
  await waitFor(
    `${replicas} pods for ${manager}`,
    async () => {
      const { status, metadata } = (await get('apps/v1', 'Deployment', 'e18', 'web')) ?? {};
      return status?.observedGeneration === metadata?.generation && status?.replicas === replicas ? { done: true } : { saw: status };
    },
    LIMIT,
  );
}

async function fight(): Promise<void> {
  while (!over) {
    await turn('release-tool', 1);
    await turn('gitops-tool', 5);
    // Long enough to read it twice between two rounds.
    for (let second = 0; second < 15 && !over; second++) await sleep(1_000);
  }
}

const turns = async (direction: string): Promise<number> =>
  (await list('v1', 'Event', 'e18'))
    .filter((event) => event.involvedObject.kind === 'Deployment' && event.message.startsWith(`Scaled ${direction} replica set`))
    .reduce((sum, event) => sum + event.count, 0);

const twoManagers: Experiment = {
  id: 'E18',
  passes: true,
  covers: ['E18', 'K73', 'K75'],
  title: 'Two managers scale a Deployment to 1 and to 5 in turn, and go on with it',
  namespace: 'e18',
  fixture: 'e18-field-fight',
  arrange: async () => {
    over = false;
    fighting = fight();
    // Reported by the wait for its rounds.
    fighting.catch(() => undefined);
  },
  until: async () => {
    await waitFor(
      'three rounds',
      async () => {
        const seen = [await turns('up'), await turns('down')];
        return Math.min(...seen) >= 3 ? { done: seen } : { saw: seen };
      },
      LIMIT,
    );
  },
  expect: { verdict: 'failed', roots: [{ layer: 'controller', kind: 'Deployment', name: /^web$/, says: [/spec\.replicas/, /release-tool|gitops-tool/] }] },
  restore: async () => {
    over = true;
    await fighting;
  },
};

export const rollouts: readonly Experiment[] = [rolledBack, putBack, twoManagers];
