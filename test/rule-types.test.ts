import { describe, expect, it } from 'vitest';
import { createChecker } from '../src/engine/check.ts';
import { readRule } from '../src/engine/rule.ts';
import { FAMILIES } from '../src/facts/index.ts';
import { kubeTypes } from '../tools/kube-types.ts';
import { ruleSet } from '../tools/rule-files.ts';

const classes = ruleSet().texts.flatMap((table) => table.rows.map((row) => row.class));
const checker = createChecker(FAMILIES, kubeTypes(), classes);

const sample = {
  id: 'sample', layer: 'kubelet', title: 'x', kind: 'Pod', at: 'start', expected: 'x', actual: 'x', conclusion: 'x', evidence: ['object'], next: ['x'],
};
const errors = (change: Record<string, unknown>): string[] => checker.check(readRule({ ...sample, ...change }, 'kubelet/sample.yaml'));

describe('the type check of rules', () => {
  it('refuses a field the Kubernetes schema does not have', () => {
    expect(errors({ when: 'object.spec.nodename == "a"' }).join()).toContain('nodename');
    expect(errors({ when: 'object.spec.nodeName == "a"' })).toEqual([]);
  });
  it('refuses a condition that is not a yes or no', () => {
    expect(errors({ when: 'object.spec.nodeName' }).join()).toContain('not bool');
  });
  for (const rule of ruleSet().rules) it(rule.file, () => expect(checker.check(rule)).toEqual([]));
});
