import { type Finding, lastingOf } from '../model/finding.ts';
import { detailOf, fingerprintsOf, manifestOf } from './cases.ts';
import { visible } from './escape.ts';
import type { Renderer } from './index.ts';

/** GitLab's code quality report. A path is required: the manifest's where one was given, else the object's own address. */
export const renderGitlab: Renderer = (report) => {
  const told = report.findings.filter(({ role }) => role === 'root' || role === 'preexisting');
  const prints = fingerprintsOf(told);
  const issues = told.map((finding) => {
    const { id, rule, layer, title } = finding;
    const { kind, namespace, name } = lastingOf(finding);
    const place = manifestOf(report, finding);
    return {
      type: 'issue',
      check_name: rule,
      description: `${layer.toUpperCase()}: ${visible(title)}`,
      categories: ['Bug Risk'],
      severity: severityOf(finding),
      fingerprint: visible(prints.get(id) ?? id),
      location: { path: visible(place?.file ?? ['kubernetes', namespace, kind, name].filter(Boolean).join('/')), lines: { begin: place?.line ?? 1 } },
      content: { body: detailOf(finding).map(visible).join('\n\n') },
    };
  });
  return `${JSON.stringify(issues, null, 2)}\n`;
};

const severityOf = ({ role, certainty, permanence }: Finding): string =>
  role === 'preexisting' ? 'info' : certainty === 'undetermined' ? 'minor' : permanence === 'permanent' || permanence === 'corroborated' ? 'critical' : 'major';
