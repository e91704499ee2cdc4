import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import type { Report } from '../../src/model/report.ts';
import { RENDERERS } from '../../src/render/index.ts';
import { renderGithub } from '../../src/render/github.ts';
import { renderGitlab } from '../../src/render/gitlab.ts';
import { renderJson } from '../../src/render/json.ts';
import { renderJunit } from '../../src/render/junit.ts';
import { renderMarkdown } from '../../src/render/markdown.ts';
import { renderSarif } from '../../src/render/sarif.ts';
import { renderText } from '../../src/render/text.ts';
import { crashing, forbidden, merge, terminated } from '../build.ts';
import { options, play, ready, rollout, short, target } from '../gate/play.ts';
import { samples, untrusted } from './samples.ts';
import { isSarif as valid } from './sarif-schema.ts';
import reportSchema from '../../src/render/report.schema.json' with { type: 'json' };

const STYLE = { color: false, width: 80, verbose: false };

const crash = short('web-2-a', 2, [crashing('app', terminated('Error', 3, -40), 3, { image: 'registry.example/app:2' })], { status: { phase: 'Running' } });
const web = { ...target('Deployment', 'web'), file: 'deploy/my app.yaml', line: 12 };
const gateOf = (gate: ReturnType<typeof options>, ...timeline: Parameters<typeof play>[1]): Report => play(gate, timeline).report as Report;

/** Gates as they end: passed, failed, moving, not to be told, nothing there. */
const gates: Record<string, Report> = {
  passed: gateOf(options([web]), [0, { objects: rollout({ fresh: [ready('web-2-a', -60, -50)] }) }]),
  failed: gateOf(options([web]), [0, { objects: rollout({ fresh: [crash], old: [ready('web-1-a', -900, -890)] }) }]),
  moving: gateOf(options([web], { timeout: 20 }), [0, { objects: rollout({ old: [ready('web-1-a', -900, -890)] }) }]),
  blind: gateOf(options([web]), [0, { objects: rollout({ fresh: [ready('web-2-a', -60, -50)] }).filter(({ kind }) => kind !== 'Pod'), coverage: [forbidden('Pod')] }]),
  nothing: gateOf(options([{ ...web, name: 'wbe' }]), [0, { objects: [] }]),
};
const all = Object.entries({ ...samples, ...gates });

describe('every format', () => {
  for (const [name, load] of Object.entries(RENDERERS)) {
    test(`${name} takes every report, ends its last line, and gives the same bytes again`, async () => {
      const render = await load();
      for (const [, report] of all) {
        const text = render(report, STYLE);
        expect(text.endsWith('\n')).toBe(true);
        expect(render(JSON.parse(JSON.stringify(report)) as Report, STYLE)).toBe(text);
      }
    });
  }

  test('lets nothing through that a terminal or a page would act on', async () => {
    for (const name of ['junit', 'github', 'markdown', 'gitlab', 'sarif']) {
      const text = (await RENDERERS[name]?.())?.(untrusted, STYLE) ?? '';
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      expect(text, name).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    }
  });

  test('a gate is valid by the published schema, and read on a page', () => {
    const valid = new Ajv({ allErrors: true, formats: { 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/ } }).compile(reportSchema);
    for (const [name, report] of Object.entries(gates)) {
      expect(valid(JSON.parse(renderJson(report, STYLE))), `${name} ${JSON.stringify(valid.errors)}`).toBe(true);
      expect(renderText(report, STYLE).split('\n').filter((line) => [...line].length > 80 && !line.includes('kubectl'))).toEqual([]);
    }
    expect(renderText(gates['failed'] as Report, STYLE)).toMatch(/^Deployment\/shop\/web {2}FAILED after 1m: APPLICATION, Container app exits with\n {2}code 3\n/);
  });
});

describe('JUnit', () => {
  const tags = (report: Report): string[] => renderJunit(report, STYLE).split('\n').flatMap((line) => /^ +<(testcase|failure|error|skipped)\b/.exec(line)?.[1] ?? []);

  test('has one test case a target, and tells a failure from what is not proven', () => {
    expect(tags(gates['passed'] as Report)).toEqual(['testcase']);
    expect(tags(gates['failed'] as Report)).toEqual(['testcase', 'failure']);
    for (const name of ['moving', 'blind', 'nothing']) expect(tags(gates[name] as Report), name).toEqual(['testcase', 'error']);
    expect(renderJunit(gates['failed'] as Report, STYLE)).toContain('<testcase name="Deployment/web" classname="shop" time="60.0" file="deploy/my app.yaml" line="12">');
    expect(renderJunit(gates['failed'] as Report, STYLE)).toContain('<failure type="container-exits" message="APPLICATION: Container app exits with code 3">');
  });

  test('counts what it holds, and nests well', () => {
    for (const [name, report] of all) {
      const text = renderJunit(report, STYLE);
      const [, tests, failures, errors] = /^<testsuites [^>]*tests="(\d+)" failures="(\d+)" errors="(\d+)"/m.exec(text) ?? [];
      const count = (tag: string): number => [...text.matchAll(new RegExp(`<${tag}[ >]`, 'g'))].length;
      expect([name, tests, failures, errors].map(String)).toEqual([name, count('testcase'), count('failure'), count('error')].map(String));
      expect(unclosed(text), name).toEqual([]);
      expect(report.verdict === 'healthy').toBe(failures === '0' && errors === '0');
    }
  });
});

/** Tags that are not closed in their order, and text that XML does not allow. */
function unclosed(xml: string): string[] {
  const open: string[] = [];
  const bad: string[] = [];
  for (const [, close, name = '', rest = ''] of xml.replace(/^<\?xml[^>]*\?>/, '').matchAll(/<(\/?)([\w-]+)((?:\s+[\w-]+="[^"<]*")*\s*\/?)>/g)) {
    if (close) {
      if (open.pop() !== name) bad.push(name);
    } else if (!rest.endsWith('/')) open.push(name);
  }
  const text = xml.replace(/<[^<>]*>/g, '');
  return [...bad, ...open, ...(text.match(/[<>]|&(?!(?:amp|lt|gt|quot);)/g) ?? [])];
}

describe('SARIF', () => {
  test('is what the schema of 2.1.0 asks for', () => {
    for (const [name, report] of all) expect(valid(JSON.parse(renderSarif(report, STYLE))), `${name} ${JSON.stringify(valid.errors)}`).toBe(true);
  });

  test('the schema would notice', () => {
    const titled = JSON.parse(renderSarif(gates['failed'] as Report, { ...STYLE, titles: new Map([[gates['failed']?.findings[0]?.rule ?? '', 'What the rule finds']]) }));
    expect(titled.runs[0].tool.driver.rules.map(({ shortDescription }: { shortDescription: { text: string } }) => shortDescription.text)).toContain('What the rule finds');
    const log = JSON.parse(renderSarif(gates['failed'] as Report, STYLE));
    expect(valid({ ...log, version: '2.0.0' })).toBe(false);
    expect(valid(merge(log, { runs: [{ ...log.runs[0], results: [{ message: {} }] }] }))).toBe(false);
    expect(valid(merge(log, { runs: [{ ...log.runs[0], results: [{ ...log.runs[0].results[0], level: 'fatal' }] }] }))).toBe(false);
  });

  test('every result has its rule, its object, and the line of the manifest', () => {
    const { runs: [run] } = JSON.parse(renderSarif(gates['failed'] as Report, STYLE));
    expect(run.results).toHaveLength(1);
    expect(run.tool.driver.rules[run.results[0].ruleIndex].id).toBe(run.results[0].ruleId);
    expect(run.results[0].locations[0]).toEqual({
      physicalLocation: { artifactLocation: { uri: 'deploy/my%20app.yaml', uriBaseId: '%SRCROOT%' }, region: { startLine: 12 } },
      logicalLocations: [{ name: 'web-2-a', fullyQualifiedName: 'shop/Pod/web-2-a', kind: 'resource' }],
    });
    expect(run.invocations[0]).toMatchObject({ executionSuccessful: true, exitCode: 1 });
  });
});

describe('GitHub, GitLab, Markdown', () => {
  test('an annotation is one line, at the manifest, with nothing that the runner would take apart', () => {
    const [first = '', last = ''] = renderGithub(gates['failed'] as Report, STYLE).trimEnd().split('\n');
    expect(first).toMatch(/^::error file=deploy\/my app\.yaml,line=12,title=APPLICATION%3A Container app exits with code 3::expected: container app keeps running%0Aactual: /);
    expect(last).toMatch(/^kubectl strata: failed, APPLICATION, Container app exits with code 3 \(1m, \d+ looks, .*exit code 1$/);
    for (const [name, report] of all) for (const line of renderGithub(report, STYLE).trimEnd().split('\n').slice(0, -1)) expect(line, name).toMatch(/^::(error|warning|notice) [^:]*::/);
    expect(renderGithub(gates['passed'] as Report, STYLE).split('\n')).toHaveLength(2);
  });

  test('a code quality issue has what GitLab requires', () => {
    for (const [, report] of all) {
      const issues = JSON.parse(renderGitlab(report, STYLE)) as {
        fingerprint: string;
        location: { path: string; lines: { begin: number } };
        severity: string;
        description: string;
        check_name: string;
      }[];
      expect(new Set(issues.map(({ fingerprint }) => fingerprint)).size).toBe(issues.length);
      for (const issue of issues) {
        expect(['info', 'minor', 'major', 'critical', 'blocker']).toContain(issue.severity);
        expect(issue.location.path).toMatch(/^[^/]/);
        expect(issue.location.lines.begin).toBeGreaterThan(0);
      }
    }
  });

  test('what comes again in the next pipeline is known again, though its pods have other names', () => {
    const issues = JSON.parse(renderGitlab(gates['failed'] as Report, STYLE)) as { fingerprint: string }[];
    expect(issues[0]?.fingerprint).toBe('container-exits:Deployment/shop/web');
    const { runs: [run] } = JSON.parse(renderSarif(gates['failed'] as Report, STYLE)) as { runs: { results: { partialFingerprints: object }[] }[] };
    expect(run?.results[0]?.partialFingerprints).toEqual({ 'strataFinding/v1': 'container-exits:Deployment/shop/web' });
  });

  test('a summary has a row a target, and words stay words', () => {
    const page = renderMarkdown(gates['failed'] as Report, STYLE);
    expect(page).toMatch(/^## shop Deployment\/web: failed\n\nAPPLICATION, Container app exits with code 3\.\n\n\| \| what \| where it stands \|\n/);
    expect(page).toContain('| **failed** | Deployment/shop/web | ');
    const evil = merge(gates['failed'] as Report, { gate: { says: '<img src=x> @all | [x](http://evil.example)' } });
    expect(renderMarkdown(evil, STYLE)).toContain('&lt;img src=x&gt; &#64;all \\| \\[x\\](http&#58;//evil.example)');
  });
});
