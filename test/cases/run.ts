import { diagnose } from '../../src/engine/index.ts';
import type { RuleSet } from '../../src/engine/load.ts';
import { type Classify, classifier } from '../../src/facts/texts.ts';
import type { Report } from '../../src/model/report.ts';
import { type Assessment, assess, explains } from './assess.ts';
import { type Case, scopeOf, snapshotOf } from './case.ts';

export interface Ran {
  one: Case;
  report: Report;
  assessment: Assessment;
  /** Texts that were given no layer, or another one than wanted. */
  misread: { text: string; wanted: string; got: string }[];
}

export function runCases(cases: readonly Case[], rules: RuleSet): Ran[] {
  const classify = classifier(rules.texts);
  const families = ['api-refusals', 'connections', ...rules.texts.map(({ family }) => family)];
  return cases.map((one) => {
    const report = diagnose(snapshotOf(one), scopeOf(one), { rules });
    const misread = one.explain.flatMap(({ text, layer }) => {
      const got = layerOf(classify, families, text);
      return explains(layer, got) ? [] : [{ text, wanted: [layer].flat().join(' or '), got: got || 'none' }];
    });
    return { one, report, assessment: assess(one, report), misread };
  });
}

/** As `explain` reads a pasted text: refusals and connections first, whole before line by line. */
function layerOf(classify: Classify, families: readonly string[], message: string): string {
  const known = new Set(families);
  for (const piece of new Set([message, ...message.split('\n').map((line) => line.trim())])) {
    for (const family of known) {
      const text = classify(family, piece);
      if (text.class !== 'unknown') return text.layer;
    }
  }
  return '';
}
