import type { KubeObject } from '../../model/kinds.ts';
import type { World } from '../world.ts';

const AGENT = /(?:^|-)(?:konnectivity|proxy)-agent$/;

/** What keeps the way open by which an API server outside of the nodes' network reaches pods and kubelets (apiserver-network-proxy). */
export const tunnelAgents = (world: World): KubeObject[] =>
  ['Deployment', 'DaemonSet'].flatMap((kind) => world.snapshot.seen(kind)).filter(({ metadata }) => AGENT.test(metadata.name));
