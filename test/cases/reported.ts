import type { Layer } from '../../src/model/layer.ts';
import type { Report } from '../../src/model/report.ts';

/** What the public report that a case retells says itself: the judge that our own expectations answer to. */
export interface Reported {
  /** Its number in the collection. */
  id: string;
  layer: Layer;
  also?: Layer[];
  /** The layer that the symptom points at. */
  surface?: Layer;
  /** Whether the API shows the cause at all; absent means that it does, or that the report does not say. */
  decidable?: 'no' | 'partly';
  /** Why an honest diagnosis does not name that layer. */
  but?: string;
}

export const ANSWERS = ['named', 'honest', 'nothing', 'another', 'tempted'] as const;
export type Answer = (typeof ANSWERS)[number];
export const ANSWER: Readonly<Record<Answer, string>> = {
  named: "a root in the report's layer, and none in the tempting one",
  honest: 'no cause claimed, and the verdict says that it is not known',
  nothing: 'no cause claimed, and a verdict that claims to know',
  another: 'a cause claimed in another layer only',
  tempted: 'a cause claimed in the tempting layer',
};

/** How a diagnosis stands to the report, whatever the case expects. What is undetermined claims no cause. */
export function judged({ layer, also = [], surface }: Reported, { findings, verdict }: Report): Answer {
  const right = [layer, ...also];
  const claimed = findings.filter(({ role, certainty }) => role === 'root' && certainty !== 'undetermined').map((root) => root.layer);
  if (surface && !right.includes(surface) && claimed.includes(surface)) return 'tempted';
  if (claimed.some((each) => right.includes(each))) return 'named';
  if (claimed.length > 0) return 'another';
  return verdict === 'inconclusive' ? 'honest' : 'nothing';
}
