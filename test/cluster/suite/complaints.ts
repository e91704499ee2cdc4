import type { Effect, Finding, Subject } from '../../../src/model/finding.ts';
import type { Report } from '../../../src/model/report.ts';
import type { Expectation, Root } from '../experiments/experiment.ts';

const named = (wanted: { kind: string; name: RegExp }) => (object: Subject | Effect): boolean =>
  wanted.kind.split('|').includes(object.kind) && wanted.name.test(object.name);

export const words = ({ title, expected, actual, conclusion, evidence }: Finding): string =>
  [title, expected, actual, conclusion, ...evidence.map(({ text, value }) => `${text} ${JSON.stringify(value)}`)].join('\n');

export const isRoot = (wanted: Root) => (finding: Finding): boolean => finding.layer === wanted.layer && [finding.on, ...finding.subjects].some(named(wanted));

export const shown = ({ role, certainty, layer, rule, title, actual, subjects }: Finding): string =>
  `${role} ${certainty} ${layer} [${rule}] ${title} / ${actual} (${subjects.map(({ kind, name }) => `${kind}/${name}`).join(' ')})`;

function aboutRoots(report: Report, expected: Expectation): string[] {
  const roots = report.findings.filter(({ role }) => role === 'root');
  const surplus = roots.filter((finding) => !expected.roots.some((wanted) => isRoot(wanted)(finding)));
  const about = expected.roots.flatMap((wanted) => {
    const what = `${wanted.layer} cause about ${wanted.kind} ${wanted.name}`;
    const [found, ...more] = roots.filter(isRoot(wanted));
    if (!found) return [`no ${what}`];
    return [
      ...more.map((finding) => `told twice: ${shown(finding)}`),
      ...(wanted.says ?? []).filter((text) => !text.test(words(found))).map((text) => `does not say ${text}: ${words(found)}`),
      ...(found.certainty === (wanted.certainty ?? 'proven') ? [] : [`${found.certainty}, not ${wanted.certainty ?? 'proven'}: ${found.title}`]),
      ...(found.evidence.length > 0 ? [] : [`no evidence: ${found.title}`]),
      ...(found.next.length > 0 ? [] : [`no next step: ${found.title}`]),
    ];
  });
  return [...surplus.map((finding) => `not a cause: ${shown(finding)}`), ...about];
}

/** What a report has against it, in sentences; empty where it says what it must and nothing else. */
export function complaints(report: Report, expected: Expectation): string[] {
  const effects = report.findings.flatMap(({ role, on, subjects, effects: shown, title }) => [
    ...shown,
    ...(role === 'consequence' ? [on, ...subjects].map((object) => ({ ...object, says: title })) : []),
  ]);
  return [
    ...(report.verdict === expected.verdict ? [] : [`verdict ${report.verdict}, not ${expected.verdict}`]),
    ...aboutRoots(report, expected),
    ...(expected.effects ?? [])
      .filter((wanted) => !effects.some(named(wanted)))
      .map(
        ({ kind, name }) =>
          `not shown as an effect: ${kind} ${name}, only ${effects.map((effect) => `${effect.kind}/${effect.name}: ${effect.says}`).join('; ')}`,
      ),
    ...(expected.roots.length > 0 ? [] : report.findings.map((finding) => `nothing is wrong, but: ${shown(finding)}`)),
    ...report.broken.map(({ rule, message }) => `rule ${rule} broke: ${message}`),
  ];
}
