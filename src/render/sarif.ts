import type { Finding } from '../model/finding.ts';
import { EXIT, type Report } from '../model/report.ts';
import { detailOf, fingerprintsOf, manifestOf } from './cases.ts';
import { visible, visibleLines } from './escape.ts';
import type { Renderer } from './index.ts';

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';

/**
 * SARIF 2.1.0. A result has the manifest's file and line where one was given, and always the Kubernetes object as a logical
 * location. What the rollout did not cause is a note.
 */
export const renderSarif: Renderer = (report, { titles }) => {
  const told = report.findings.filter(({ role }) => role !== 'consequence');
  const prints = fingerprintsOf(told);
  const rules = [...new Map(told.map((finding) => [finding.rule, finding])).values()].sort((a, b) => (a.rule < b.rule ? -1 : 1));
  const index = new Map(rules.map(({ rule }, at) => [rule, at]));
  const run = {
    tool: {
      driver: {
        name: 'kubectl-strata',
        rules: rules.map(({ rule, layer, permanence }) => ({
          id: rule,
          shortDescription: { text: titles?.get(rule) ?? wordsOf(rule) },
          properties: { tags: ['kubernetes', layer], permanence },
        })),
      },
    },
    invocations: [
      {
        executionSuccessful: true,
        exitCode: EXIT[report.verdict],
        exitCodeDescription: report.verdict,
        ...(report.gate ? { startTimeUtc: report.gate.startedAt, endTimeUtc: report.gate.endedAt } : { endTimeUtc: report.capturedAt }),
        toolExecutionNotifications: notices(report),
      },
    ],
    results: told.map((finding) => resultOf(report, finding, index.get(finding.rule) ?? 0, prints.get(finding.id) ?? finding.id)),
    columnKind: 'utf16CodeUnits',
    properties: { verdict: report.verdict, ...(report.gate ? { says: visible(report.gate.says), seconds: report.gate.seconds } : {}) },
  };
  return `${JSON.stringify({ $schema: SCHEMA, version: '2.1.0', runs: [run] }, null, 2)}\n`;
};

/** A finding of the gate itself has no rule in the catalogue. */
const wordsOf = (rule: string): string => `${rule.replace(/^(?:gate|user)\//, '').replaceAll('-', ' ')}.`;

function resultOf(report: Report, finding: Finding, ruleIndex: number, print: string): object {
  const { rule, role, certainty, layer, on, since } = finding;
  const place = manifestOf(report, finding);
  const name = [on.namespace, on.kind, on.name]
    .filter(Boolean)
    .map((part) => visible(part ?? ''))
    .join('/');
  return {
    ruleId: rule,
    ruleIndex,
    level: role === 'root' ? (certainty === 'undetermined' ? 'warning' : 'error') : role === 'risk' ? 'warning' : 'note',
    kind: 'fail',
    message: { text: detailOf(finding).flatMap(visibleLines).join('\n') },
    locations: [
      {
        ...(place
          ? {
              physicalLocation: { artifactLocation: { uri: uriOf(place.file), uriBaseId: '%SRCROOT%' }, region: { startLine: place.line } },
            }
          : {}),
        logicalLocations: [{ name: visible(on.name), fullyQualifiedName: name, kind: 'resource' }],
      },
    ],
    partialFingerprints: { 'strataFinding/v1': visible(print) },
    properties: { layer, certainty, role, ...(since ? { since } : {}) },
  };
}

// A URI reference: every segment percent-encoded, with slashes between.
const uriOf = (file: string): string => file.split(/[\\/]/).map(encodeURIComponent).join('/');

/** What could not be seen, and a verdict that no result stands for. */
function notices(report: Report): object[] {
  const gaps = report.coverage.filter(({ state }) => !['complete', 'not-served', 'not-collected'].includes(state));
  const texts = [
    ...gaps.map(({ kind, namespace, state }) => `${kind}${namespace ? ` in ${namespace}` : ''}: ${state}`),
    ...(report.verdict === 'healthy' || report.verdict === 'failed' ? [] : [`${report.verdict}${report.gate ? `: ${report.gate.says}` : ''}`]),
  ];
  return texts.map((text) => ({ level: 'warning', message: { text: visible(text) } }));
}
