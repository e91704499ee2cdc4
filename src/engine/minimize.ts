import type { Coverage } from '../model/coverage.ts';
import { kindKey } from '../model/resources.ts';
import type { KubeObject } from '../model/kinds.ts';
import type { Report } from '../model/report.ts';
import { Snapshot } from '../model/snapshot.ts';

export interface Minimized {
  snapshot: Snapshot;
  /** Diagnoses it took. */
  tries: number;
  /** It stopped at the limit of tries: something more could perhaps go. */
  limited: boolean;
}

const MOST_TRIES = 600;

/**
 * The smallest part of a snapshot on which `judge` says the same: first what the report refers to, then by halves
 * (delta debugging, Zeller and Hildebrandt 2002), first the objects, then the lists that were read.
 */
export function minimize(snapshot: Snapshot, judge: (snapshot: Snapshot) => Report): Minimized {
  const report = judge(snapshot);
  const wanted = essence(report);
  let tries = 1;
  const all = snapshot.kinds().flatMap((kind) => [...snapshot.seen(kind)]);
  const holds = (objects: readonly KubeObject[], coverage: readonly Coverage[]): boolean => {
    tries++;
    try {
      return essence(judge(partOf(snapshot, objects, coverage))) === wanted;
    } catch {
      return false;
    }
  };
  const spare = (): boolean => tries < MOST_TRIES;
  const mentioned = all.filter((object) => isMentioned(object, report));
  const start = mentioned.length < all.length && holds(mentioned, snapshot.coverage) ? mentioned : all;
  const objects = reduce(start, (part) => holds(part, snapshot.coverage), spare);
  const coverage = reduce([...snapshot.coverage], (part) => holds(objects, part), spare);
  return { snapshot: partOf(snapshot, objects, coverage), tries, limited: !spare() };
}

/** What must stay: the verdict, every cause to the letter, what is short, and which rules could judge. */
const essence = ({ verdict, findings, workloads, skipped }: Report): string =>
  JSON.stringify([verdict, findings, workloads.filter((each) => each.verdict !== 'healthy'), skipped.map((each) => each.rule).sort()]);

function partOf(snapshot: Snapshot, objects: readonly KubeObject[], coverage: readonly Coverage[]): Snapshot {
  const counts = new Map<string, number>();
  for (const object of objects) {
    for (const place of [object.metadata.namespace ?? null, null]) {
      const key = `${kindKey(object.apiVersion, object.kind)}\0${place ?? ''}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      if (place === null) break;
    }
  }
  const counted = (entry: Coverage): Coverage => (entry.selector ? entry : { ...entry, count: counts.get(`${entry.kind}\0${entry.namespace ?? ''}`) ?? 0 });
  return new Snapshot({
    objects: [...objects],
    coverage: coverage.map(counted),
    server: snapshot.server,
    capturedAt: snapshot.capturedAt,
    source: snapshot.source,
    cost: snapshot.cost,
    notes: [...snapshot.notes],
  });
}

function isMentioned(object: KubeObject, report: Report): boolean {
  const { uid, name } = object.metadata;
  const namespace = object.metadata.namespace ?? '';
  return report.findings.some((finding) =>
    [finding.on, ...finding.subjects, ...finding.evidence.map((each) => each.object), ...finding.chain, ...finding.effects].some(
      (each) => (uid !== undefined && each.uid === uid) || (each.kind === object.kind && each.name === name && (each.namespace ?? '') === namespace),
    ),
  );
}

/** Leaves out parts, half of it at first, as long as `holds` is true of the rest. */
function reduce<T>(items: readonly T[], holds: (part: readonly T[]) => boolean, spare: () => boolean): T[] {
  let left = [...items];
  for (let size = Math.ceil(left.length / 2); size >= 1 && left.length > 0; ) {
    let removed = false;
    for (let from = 0; from < left.length && spare(); ) {
      const rest = [...left.slice(0, from), ...left.slice(from + size)];
      if (holds(rest)) {
        left = rest;
        removed = true;
      } else from += size;
    }
    if (!spare()) break;
    if (size === 1 && !removed) break;
    size = size === 1 ? 1 : Math.ceil(size / 2);
  }
  return left;
}
