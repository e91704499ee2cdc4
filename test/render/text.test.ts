import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { Coverage } from '../../src/model/coverage.ts';
import { renderText } from '../../src/render/text.ts';
import { columns } from '../../src/render/wrap.ts';
import { samples, served, untrusted } from './samples.ts';

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

  test('a cause takes 20 lines at most, however much there is to say', () => {
    for (const report of Object.values(samples)) {
      const blocks = renderText(report, PLAIN).split('\n\n').filter((block) => /^1?\d /.test(block) && /\n {2}next/.test(block));
      for (const block of blocks) expect(block.trimEnd().split('\n').length, block).toBeLessThanOrEqual(20);
    }
  });

  test('who waits for somebody has not failed', () => {
    const { oneCause } = samples;
    if (!oneCause) throw new Error('no sample');
    const page = (permanence: 'waiting' | 'permanent'): string =>
      renderText({ ...oneCause, findings: oneCause.findings.map((finding) => ({ ...finding, permanence })) }, { ...PLAIN, width: 200 }).split('\n').find((line) => line.includes(' path ')) ?? '';
    expect(page('permanent')).toContain(' FAILED');
    expect(page('waiting')).toBe(page('permanent').replace('FAILED', 'WAITS'));
  });

  test('the evidence shown is of the first object; the same of its siblings is counted', () => {
    const { overfull } = samples;
    if (!overfull) throw new Error('no sample');
    const page = renderText(overfull, { ...PLAIN, width: 200 });
    expect(page).toContain('(4 more: -v)');
    expect(page).not.toContain('Event of web-77c-b');
    expect(renderText(overfull, { ...PLAIN, verbose: true })).toContain('Event/web-77c-b.18ec92c5d6fc6f3c');
  });

  test('a quota is nobody\'s: it stands alone, and whom it holds back is an effect', () => {
    const { quota } = samples;
    if (!quota) throw new Error('no sample');
    const page = renderText(quota, PLAIN);
    expect(page).toMatch(/since .*, ResourceQuota\/team\n/);
    expect(page).toContain('explains    Deployment/cart 0/1 ready');
  });

  test('what was not read is said on the first line, and never in place of what is short', () => {
    const { lonely } = samples;
    if (!lonely) throw new Error('no sample');
    const first = (report: typeof lonely): string => renderText(report, { ...PLAIN, width: 200 }).split('\n')[0] ?? '';
    const cut: Coverage[] = [{ kind: 'Pod', namespace: 'orders', state: 'truncated', count: 500 }];
    expect(first({ ...lonely, coverage: cut })).toContain('Service/web is short, and no cause is proven (not read: Pods)');
    expect(first({ ...lonely, open: [], coverage: cut })).toContain('Pods were read in part only');
    expect(first({ ...lonely, open: [], coverage: [{ kind: 'Pod', namespace: 'orders', state: 'forbidden', count: 0, code: 403 }] })).toContain('Pods could not be read');
  });

  test('what selects no pods is not said to select none', () => {
    const { lonely } = samples;
    if (!lonely) throw new Error('no sample');
    const page = (kind: string, at: string): string => renderText({ ...lonely, open: [{ kind, namespace: 'orders', name: 'web', at: [at], verdict: 'inconclusive' }] }, { ...PLAIN, width: 200 });
    expect(page('Service', 'select')).toContain('Service/web: selects no pod');
    expect(page('Ingress', 'select')).toContain('Ingress/web: is of a class that does not exist');
    expect(page('Ingress', 'answer')).toContain('Ingress/web: names a port or a certificate that does not exist');
    expect(page('HTTPRoute.gateway.networking.k8s.io', 'endpoints')).toContain(': names a Service that does not exist');
  });

  test('of many causes the headings, with where each was seen', () => {
    const { manyCauses } = samples;
    if (!manyCauses) throw new Error('no sample');
    const page = renderText(manyCauses, PLAIN);
    expect(page.match(/^\d+ CRI {2}Image registry/gm)).toHaveLength(24);
    expect(page.match(/^ {2}next/gm)).toHaveLength(6);
    expect(page).toContain('(18 causes by their headings only');
    expect(page.split('\n').length).toBeLessThan(150);
    expect(renderText(manyCauses, { ...PLAIN, verbose: true }).match(/^ {2}next/gm)).toHaveLength(24);
  });

  test.each([
    ['who asks', { code: 401 }, '/failures/0', 'auth FAILED > api, etcd not reached'],
    ['its storage', { check: 'etcd' }, '/health/3', 'auth ok > api ok > etcd FAILED'],
    ['a text of etcd', { code: 500, message: 'etcdserver: request timed out' }, '/failures/0', 'auth ok > api ok > etcd FAILED'],
    ['itself', { check: 'poststarthook/rbac' }, '/health/9', 'auth ok > api FAILED > etcd not reached'],
  ])('the way to the API server stops at %s', (_, value, pointer, way) => {
    expect(renderText(served(value, pointer), { ...PLAIN, width: 120 })).toContain(`path        dns ok > tcp ok (4 ms) > tls ok > ${way}`);
  });

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
