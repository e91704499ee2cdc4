import { evidenceAt, subjectOf } from '../facts/address.ts';
import type { Finding } from '../model/finding.ts';
import type { GateRef } from '../model/gate.ts';
import type { KubeObject } from '../model/kinds.ts';

interface Claim {
  /** `expectation`, `gone`, `said-failed`. */
  rule: string;
  title: string;
  expected: string;
  actual: string;
  conclusion: string;
  pointer: string;
  next: string[];
}

/** What only a look at two moments, or the caller's own words, can tell: no rule over one snapshot finds it. */
export function ownFinding(ref: GateRef, object: KubeObject | null, { rule, title, expected, actual, conclusion, pointer, next }: Claim): Finding {
  const on = object ? subjectOf(object) : { kind: ref.kind, ...(ref.namespace ? { namespace: ref.namespace } : {}), name: ref.name };
  return {
    id: `gate/${rule}:${[ref.kind, ref.namespace, ref.name].filter(Boolean).join('/')}`,
    rule: `gate/${rule}`,
    layer: 'controller',
    stage: 'observe',
    role: 'root',
    certainty: 'proven',
    permanence: 'permanent',
    on,
    subjects: [on],
    title,
    expected,
    actual,
    conclusion,
    evidence: object ? [evidenceAt(object, pointer, actual)] : [],
    effects: [],
    next,
    chain: [],
    layers: {},
    unread: [],
    breaks: [],
  };
}
