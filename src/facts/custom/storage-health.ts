import type { Evidence } from '../../model/finding.ts';
import type { KubeObject } from '../../model/kinds.ts';
import type { Text } from '../../model/text.ts';
import { evidenceAt } from '../address.ts';

interface Detail {
  severity?: unknown;
  message?: unknown;
}

/** Rook writes Ceph's own health beside its conditions, which tell of the operator's work alone. */
interface Ceph {
  ceph?: { health?: unknown; details?: Record<string, Detail | null> };
}

/** Ceph warns of much that it lives with: an error counts, and a warning where its words are known and no waiting ends it. */
export function gravestOf(status: Ceph, classify: (words: string) => Text): { text: string; key: string } | null {
  const { health, details = {} } = status.ceph ?? {};
  if (health !== 'HEALTH_ERR' && health !== 'HEALTH_WARN') return null;
  const told = Object.entries(details).flatMap(([key, detail]) =>
    typeof detail?.message === 'string' ? [{ key, severity: detail.severity, text: detail.message }] : [],
  );
  return told.find(({ severity }) => severity === 'HEALTH_ERR') ?? told.find(({ text }) => classify(text).permanence === 'permanent') ?? null;
}

/** Where it says so. */
export const detailEvidence = (object: KubeObject, told: ReturnType<typeof gravestOf>): Evidence | null =>
  told ? evidenceAt(object, `/status/ceph/details/${told.key}`, `${told.key}: ${told.text}`) : null;
