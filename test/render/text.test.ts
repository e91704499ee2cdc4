import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { renderText } from '../../src/render/text.ts';
import { columns } from '../../src/render/wrap.ts';
import { samples, untrusted } from './samples.ts';

const PLAIN = { color: false, width: 80, verbose: false };
const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

describe('the page an engineer reads', () => {
  for (const [name, report] of Object.entries(samples)) {
    test(name, async () => {
      await expect(renderText(report, PLAIN)).toMatchFileSnapshot(`golden/${kebab(name)}.txt`);
    });

    test(`${name}: colours only repeat what the words say`, () => {
      const page = renderText(report, { ...PLAIN, color: true });
      expect(page).toContain('\u001b[');
      expect(stripVTControlCharacters(page)).toBe(renderText(report, PLAIN));
    });

    test.each([60, 80, 100])(`${name}: %i columns hold it, but for what must stay whole`, (width) => {
      for (const line of renderText(report, { ...PLAIN, width }).split('\n')) {
        const whole = line.trim().replace(/^(next|evidence) +/, '').replace(/^\[\d+\] /, '');
        if (columns(line) > width) expect(whole).toMatch(/^(kubectl|openssl) |^\S+( [0-9a-f]{8})?:?$/);
      }
    });
  }

  test('-v says more', async () => {
    const { oneCause, severalCauses } = samples;
    for (const report of [oneCause, severalCauses]) {
      if (!report) throw new Error('no sample');
      await expect(renderText(report, { ...PLAIN, verbose: true })).toMatchFileSnapshot(`golden/verbose-${report.scope.namespaces[0]}.txt`);
    }
  });

  test('a megabyte of text, 20,000 effects and 5,000 refused lists still fit on a page', () => {
    const { oneCause } = samples;
    const [cause] = oneCause?.findings ?? [];
    const [quote] = cause?.evidence ?? [];
    if (!oneCause || !cause || !quote) throw new Error('no sample');
    const effects = Array.from({ length: 20_000 }, (_, index) => ({ kind: 'Pod', namespace: `n${index % 50}`, name: `p${index}`, says: 'is not ready' }));
    const workloads = Array.from({ length: 5_000 }, (_, index) => ({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: `n${index}`, name: 'web', verdict: 'failed' as const, layers: {} }));
    const coverage = workloads.map(({ namespace }) => ({ kind: 'Event', namespace, state: 'forbidden' as const, count: 0 }));
    const started = performance.now();
    const page = renderText({ ...oneCause, findings: [{ ...cause, effects, evidence: [{ ...quote, text: 'word '.repeat(200_000) }] }], workloads, coverage, skipped: [] }, PLAIN);
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(page).toContain('(977 KiB in all: -v)');
    expect(page.split('\n').length).toBeLessThan(40);
  });

  test('nothing of a cluster reaches the terminal as a control', () => {
    for (const verbose of [false, true]) {
      const page = renderText(untrusted, { ...PLAIN, verbose });
      expect(page).not.toMatch(/[^\P{C}\n]/u);
      expect(page).toContain('中文字符');
    }
  });
});
