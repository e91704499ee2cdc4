import type { Finding } from '../../src/model/finding.ts';
import { CERTAINTIES, type Certainty, type Layer } from '../../src/model/layer.ts';
import type { Report } from '../../src/model/report.ts';
import type { Case, Expect } from './case.ts';

/** right: all as expected. Everything else says what is off, worst first. */
export const OUTCOMES = ['right', 'worded', 'extra', 'unsure', 'silent', 'wrong', 'alarm'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const MEANING: Record<Outcome, string> = {
  right: 'layer, subject, cause, certainty and verdict',
  worded: 'right layer and subject, but the words miss the cause, or the verdict is another one',
  extra: 'right, but with a further root that is none',
  unsure: 'right, but with too little certainty, or with more than the API allows',
  silent: 'no cause given',
  wrong: 'a cause in another layer or on another object, or in the tempting wrong layer',
  alarm: 'a cause or a failure where all is well',
};

export interface Assessment {
  outcome: Outcome;
  verdict: Report['verdict'];
  /** Headings of the roots, with their layer. */
  got: string[];
  /** What is off, in a few words. */
  why: string;
}

/** How a report answers a case. Only roots count: what follows from a cause is no answer. */
export function assess(one: Case, report: Report): Assessment {
  const roots = report.findings.filter((finding) => finding.role === 'root');
  const got = roots.map(({ layer, title, certainty }) => `${layer}: ${title}${certainty === 'proven' ? '' : ` (${certainty})`}`);
  const answer = (outcome: Outcome, why: string): Assessment => ({ outcome, verdict: report.verdict, got, why });
  const { expect } = one;
  const verdicts = [expect.verdict].flat();
  const verdictFits = verdicts.includes(report.verdict);
  const firm = roots.filter(({ certainty }) => certainty !== 'undetermined');
  if (!expect.layer) {
    if (firm.length > 0) return answer('alarm', 'a cause where none is');
    return verdictFits ? answer('right', '') : answer(report.verdict === 'failed' ? 'alarm' : 'worded', `verdict ${report.verdict}`);
  }
  if (roots.length === 0) return verdictFits && verdicts.some((verdict) => verdict !== 'failed' && verdict === report.verdict && verdict !== 'unreachable') ? answer('right', '') : answer('silent', `verdict ${report.verdict}`);
  const layers = [expect.layer, ...(expect.also ?? [])];
  const here = roots.filter((root) => layers.includes(root.layer) && hits(root, expect));
  const best = here.find((root) => says(root, expect)) ?? here[0];
  if (!best) return answer('wrong', roots.some((root) => layers.includes(root.layer)) ? 'another subject' : 'another layer');
  const tempted = firm.find((root) => root.layer === expect.not && !expect.others?.includes(root.layer));
  if (tempted) return answer('wrong', `root in the tempting layer ${expect.not}`);
  if (!says(best, expect)) return answer('worded', `no /${expect.cause}/`);
  const missing = (expect.and ?? []).find((second) => !roots.some((root) => root.layer === second.layer && hits(root, second) && says(root, second)));
  if (missing) return answer('silent', `the second cause is not named: ${missing.layer} /${missing.cause ?? ''}/`);
  const { never } = expect;
  if (never && roots.some((root) => says(root, { cause: never }))) return answer('wrong', `says /${never}/`);
  if (!verdictFits) return answer('worded', `verdict ${report.verdict}`);
  const spare = roots.filter((root) => root !== best && !fits(root, here, expect));
  if (spare.length > 0) return answer('extra', spare.map((root) => `${root.layer}: ${root.title}`).join('; '));
  const rank = (certainty: Certainty): number => CERTAINTIES.indexOf(certainty);
  if (expect.certainty && rank(best.certainty) > rank(expect.certainty)) return answer('unsure', `${best.certainty}, wanted ${expect.certainty}`);
  if (expect.most && rank(best.certainty) < rank(expect.most)) return answer('unsure', `${best.certainty}, at most ${expect.most}`);
  return answer('right', '');
}

/** A further root is fine where the incident has it, or where it says the same of a sibling. */
const fits = (root: Finding, here: readonly Finding[], expect: Expect): boolean =>
  (expect.others ?? []).includes(root.layer) || (here.includes(root) && says(root, expect));

function hits(root: Finding, expect: Pick<Expect, 'subject'>): boolean {
  if (!expect.subject) return true;
  const named = [...root.subjects, root.on];
  return expect.subject.some(({ kind, name }) => named.some((each) => each.kind === kind && matches(name, each.name)));
}

const matches = (pattern: string, name: string): boolean => (pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern);

const says = (root: Finding, expect: Pick<Expect, 'cause'>): boolean =>
  !expect.cause || new RegExp(expect.cause, 'is').test([root.title, root.actual, root.conclusion].join('\n'));

/** Whether a text that only a client or a log shows was given one of the wanted layers. */
export const explains = (wanted: Layer | Layer[], layer: string): boolean => [wanted].flat().some((each) => each === layer);
