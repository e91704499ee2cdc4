import type { Lease } from '../../model/kinds.ts';
import type { Stage } from '../../model/layer.ts';
import { type Addressed, evidenceAt } from '../address.ts';
import type { Family } from '../family.ts';
import { newestWrite } from '../clock.ts';
import { lazy } from '../lazy.ts';
import { isoOf, timeOf } from '../time.ts';
import { ago } from '../words.ts';
import type { World } from '../world.ts';

/** The API answers reads, and nothing at all has been written for longer than Leases take to be renewed. */
export interface Stall extends Addressed {
  at: Stage[];
  /** Leases, all of them silent. */
  leases: Lease[];
  /** RFC 3339 of the last renewal of any, and seconds since. */
  since: string;
  age: number;
  proofs: Addressed[];
}

/** Machines of their own, each renewing every 2 to 10 seconds: that so many stop at once is not their doing. */
const QUORUM = 3;
const SILENT = 120_000;
/** They stopped together if all were renewed this shortly before the last. */
const TOGETHER = 60_000;

/**
 * Null while anything was written of late. Storage that is full or read-only refuses writes and serves reads, and neither
 * /readyz nor a list shows it; Leases do, as they are nothing but writes.
 */
export function stallOf(world: World): Stall | null {
  return world.memo(world.snapshot, 'stall', () => {
    const { snapshot, now } = world;
    // The clock of a dump is the newest time in it.
    if (snapshot.source.kind === 'files' || snapshot.server.reached !== true) return null;
    const beats = snapshot.seen('Lease').flatMap((lease) => {
      const time = timeOf(lease.spec?.renewTime);
      return time === null || !lease.spec?.holderIdentity ? [] : [{ lease, time }];
    });
    const newest = beats.reduce((best, { time }) => Math.max(best, time), 0);
    const together = beats.filter(({ time }) => newest - time < TOGETHER);
    if (together.length < QUORUM || now - newest < SILENT || newestWrite(world) > newest + TOGETHER) return null;
    const since = isoOf(newest);
    const proof = ({ lease }: { lease: Lease }): Addressed => ({
      evidence: evidenceAt(lease, '/spec/renewTime', `last renewed ${ago(now, lease.spec?.renewTime)}`, lease.spec?.renewTime ?? null),
    });
    return lazy<Stall>({
      at: () => ['condition'],
      leases: () => together.map(({ lease }) => lease),
      since: () => since,
      age: () => (now - newest) / 1000,
      proofs: () =>
        [...together]
          .sort((a, b) => b.time - a.time)
          .slice(0, 3)
          .map(proof),
      evidence: () => proof(together.find(({ time }) => time === newest) as { lease: Lease }).evidence,
    });
  });
}

export const family: Family = {
  name: 'stall',
  doc: 'An API server that answers reads while nothing is written any more.',
  types: {
    Stall: {
      at: { type: 'list<string>', doc: 'always `condition`' },
      leases: { type: 'list<object>', doc: 'Leases that all fell silent' },
      since: { type: 'string', doc: 'RFC 3339 of the last renewal of any' },
      age: { type: 'double', doc: 'seconds since then' },
      proofs: { type: 'list<Use>', doc: 'the newest three renewals' },
      evidence: { type: 'Evidence', doc: 'the newest renewal' },
    },
  },
  variables: [{ name: 'stall', kinds: ['APIServer'], type: 'Stall?', doc: 'null while anything is written', of: (world) => stallOf(world) }],
};
