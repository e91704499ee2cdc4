import { component } from '../components.ts';

const LEADERS = ['kube-controller-manager', 'kube-scheduler'];

/**
 * They end when their Lease cannot be renewed in time, as on a machine that is busy or while the API server is away. In a
 * cluster the kubelet starts such a static pod again; here nobody else does.
 */
export function keepLeaders(): { stop(): void } {
  const starting = new Set<string>();
  const timer = setInterval(() => {
    for (const name of LEADERS) {
      if (starting.has(name) || component(name).pid() !== undefined) continue;
      starting.add(name);
      // Tried again at the next turn.
      void component(name).start().catch(() => undefined).finally(() => starting.delete(name));
    }
  }, 500);
  return { stop: () => clearInterval(timer) };
}
