/** What an operator writes down of the thing that it runs, beside conditions that tell of its own work alone. */
import type { Evidence } from '../../model/finding.ts';
import type { KubeObject } from '../../model/kinds.ts';
import type { Text } from '../../model/text.ts';
import { evidenceAt } from '../address.ts';
import { listOf } from '../lists.ts';

export interface Inner {
  /** Rook: Ceph's own health. */
  ceph?: { health?: unknown; details?: Record<string, { severity?: unknown; message?: unknown } | null> };
  /** Strimzi: what Kafka Connect says of a connector, which is ready as soon as it is made. */
  connectorStatus?: { connector?: Part; tasks?: Part[] };
}

interface Part {
  id?: number;
  state?: unknown;
  trace?: unknown;
}

export interface Grave {
  text: string;
  key: string;
  pointer: string;
}

/** What is gravest in it; null where nothing is that no waiting ends. */
export const gravestOf = (status: Inner, classify: (words: string) => Text): Grave | null => ofCeph(status, classify) ?? ofConnector(status);

/** Ceph warns of much that it lives with: an error counts, and a warning where its words are known and no waiting ends it. */
function ofCeph(status: Inner, classify: (words: string) => Text): Grave | null {
  const { health, details = {} } = status.ceph ?? {};
  if (health !== 'HEALTH_ERR' && health !== 'HEALTH_WARN') return null;
  const told = Object.entries(details).flatMap(([key, detail]) =>
    typeof detail?.message === 'string' ? [{ key, severity: detail.severity, text: detail.message, pointer: `/status/ceph/details/${key}` }] : [],
  );
  return told.find(({ severity }) => severity === 'HEALTH_ERR') ?? told.find(({ text }) => classify(text).permanence === 'permanent') ?? null;
}

/** Kafka Connect starts no part again that has failed. */
function ofConnector({ connectorStatus }: Inner): Grave | null {
  const { connector, tasks } = connectorStatus ?? {};
  const parts = [
    ...listOf(tasks).map((part, index) => ({ part, what: `task ${part.id ?? index}`, pointer: `/status/connectorStatus/tasks/${index}` })),
    ...(connector ? [{ part: connector, what: 'the connector', pointer: '/status/connectorStatus/connector' }] : []),
  ];
  const failed = parts.find(({ part }) => part.state === 'FAILED');
  return failed ? { text: `${failed.what} has failed: ${lastWords(failed.part.trace)}`, key: 'FAILED', pointer: failed.pointer } : null;
}

/** The innermost cause of a stack of exceptions. */
function lastWords(trace: unknown): string {
  const lines = typeof trace === 'string' ? trace.split('\n') : [];
  return (lines.findLast((line) => line.startsWith('Caused by: ')) ?? lines[0] ?? 'no trace').replace('Caused by: ', '').trim();
}

/** Where it says so. */
export const graveEvidence = (object: KubeObject, grave: Grave | null): Evidence | null =>
  grave ? evidenceAt(object, grave.pointer, `${grave.key}: ${grave.text}`) : null;
