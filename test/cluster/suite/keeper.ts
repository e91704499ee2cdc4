import { components } from '../components.ts';
import { logTail, pidOf, start, started } from '../process.ts';

const EVERY = 1_000;
/** Looks at which a component must have been gone: one that a test stops is forgotten within the first of them. */
const LOOKS = 3;

/**
 * Starts again what ended by itself, as kubelet and systemd do on a real control plane: on a machine that is too busy for a few seconds,
 * whoever leads loses its Lease and exits for that (client-go, leaderelection). What a test stopped stays stopped. Returns its end.
 */
export function keepRunning(say: (line: string) => void): () => void {
  const gone = new Map<string, number>();
  const look = (): void => {
    for (const name of started()) {
      const looks = pidOf(name) === undefined ? (gone.get(name) ?? 0) + 1 : 0;
      gone.set(name, looks);
      if (looks < LOOKS) continue;
      gone.delete(name);
      const spec = components().find((each) => each.name === name);
      if (!spec) continue;
      say(`${name} ended by itself and is started again; its last words:\n${logTail(name, 3)}`);
      start(spec);
    }
  };
  const timer = setInterval(() => {
    try {
      look();
    } catch (error) {
      say(`not started again: ${(error as Error).message}`);
    }
  }, EVERY);
  return () => clearInterval(timer);
}
