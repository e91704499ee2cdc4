import type { SourceOptions } from '../options.ts';
import type { TypedTarget } from '../targets.ts';
import { type ClusterReading, newDoor, type Patience, PATIENCE, run, type Run } from './index.ts';
import type { Kept } from './kept.ts';
import { connect } from './kubeconfig.ts';
import { createServerClock } from './skew.ts';
import { createStore } from './store.ts';
import { createTransport } from './transport.ts';

export interface Follower {
  /**
   * The cluster as it is now. `anew`: everything is listed again, whatever is held. `end`, by `performance.now()`: what has not come by then is
   * not waited for. Its cost is that of all readings so far.
   */
  next(anew?: boolean, end?: number): Promise<ClusterReading>;
  /** At least `least` ms, at most `most`: ends when something has changed. */
  idle(least: number, most: number): Promise<void>;
  close(): void;
}

interface Current {
  run: Run;
  kept: Kept;
}

const OVER = 'there was no time left to ask';

/**
 * As `readCluster`, again and again over one connection; what a first reading found out for good is not asked again.
 * `options.watch`: what was listed once is kept up to date by watches, and a reading asks almost nothing; else each reading reads all.
 */
export async function followCluster(options: SourceOptions, typed: readonly TypedTarget[], patience: Patience = PATIENCE): Promise<Follower> {
  const start = async (): Promise<Current> => {
    const connection = await connect(options.kube ?? {}, process.env, options.loginTimeout);
    const namespaces = options.all ? [] : options.namespaces?.length ? [...new Set(options.namespaces)] : [connection.namespace];
    // The transport counts what is asked at one time; a watch keeps its socket.
    if (options.watch) connection.agent.maxSockets = Number.POSITIVE_INFINITY;
    const transport = createTransport(connection);
    const door = newDoor();
    const kept: Kept = {
      served: null,
      door,
      clock: createServerClock(),
      looked: false,
      store: options.watch ? createStore(transport, door) : null,
      version: null,
      beat: null,
      anew: false,
    };
    return { kept, run: { connection, transport, namespaces, typed, patience, kept, say: options.onProgress ?? (() => undefined) } };
  };
  const end = ({ run: { transport }, kept }: Current): void => {
    kept.store?.close();
    transport.close();
  };
  let current = await start();
  let before = { requests: 0, bytes: 0 };
  let latest = '';
  return {
    async next(anew = false, last = Number.POSITIVE_INFINITY) {
      const { kept } = current;
      current.run.transport.until(last, OVER);
      kept.anew = anew;
      // Each reading has its own notes and clock where nothing but the connection is kept.
      if (!kept.store) Object.assign(kept, { door: { ...newDoor(), redactor: kept.door.redactor }, clock: createServerClock() });
      const reading = await run(current.run);
      const cost = { ...reading.input.cost, requests: before.requests + reading.input.cost.requests, bytes: before.bytes + reading.input.cost.bytes };
      // A token has run out: the kubeconfig's plugin gives another.
      if (reading.input.server.failures.some((failure) => failure.code === 401)) {
        before = { requests: cost.requests, bytes: cost.bytes };
        end(current);
        current = await start();
      }
      // What is known of the server's clock gets better, and what was read later was not read earlier.
      if (reading.input.capturedAt > latest) latest = reading.input.capturedAt;
      return { ...reading, input: { ...reading.input, capturedAt: latest, cost } };
    },
    async idle(least, most) {
      const { store } = current.kept;
      if (store) await store.idle(least, most);
      else await new Promise((resolve) => setTimeout(resolve, most));
    },
    close: () => end(current),
  };
}
