import type { Container, Pod, Probe } from '../../model/kinds.ts';
import { type Addressed, evidenceAt } from '../address.ts';
import type { FieldDoc } from '../family.ts';
import { type Slot, specPointer } from './containers.ts';
import { probeWords } from './probe.ts';

/** What the kubelet does beside a container as it starts. */
export interface Hook extends Addressed {
  /** `exec cat /warm`, `GET :8080/warm`; '' for a kind of handler that is not known. */
  what: string;
}

/** Null for a container without a postStart hook. */
export function postStartOf(pod: Pod, slot: Slot): Hook | null {
  const { name, spec } = slot;
  // A handler has the shape of a probe's (core/v1 LifecycleHandler), and a pause for one more.
  const handler = (spec as Container & { lifecycle?: { postStart?: Probe & { sleep?: { seconds?: number } } } }).lifecycle?.postStart;
  if (!handler) return null;
  const what = handler.sleep ? `sleep ${handler.sleep.seconds ?? ''}` : probeWords(spec, handler);
  return { what, evidence: evidenceAt(pod, specPointer(pod, slot, 'lifecycle', 'postStart'), `container ${name}: postStart ${what}`) };
}

export const HOOK_TYPE: Record<string, FieldDoc> = {
  what: { type: 'string', doc: "`exec cat /warm`, `GET :8080/warm`; '' for a kind of handler that is not known" },
  evidence: { type: 'Evidence', doc: 'its entry in the spec' },
};
