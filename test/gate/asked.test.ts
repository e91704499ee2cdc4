import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parseSelector } from '../../src/facts/selector-text.ts';
import { sameImage } from '../../src/gate/targets.ts';
import { readManifests } from '../../src/source/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'strata-asked-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a label selector as typed', () => {
  const fits = (text: string, labels: Record<string, string>): boolean | undefined => parseSelector(text)?.(labels);
  test.each([
    ['app=web', { app: 'web' }, true], ['app==web', { app: 'mail' }, false], ['app!=web', {}, true], ['app', { app: '' }, true], ['!app', { app: '' }, false],
    ['env in (a, b),tier notin (c)', { env: 'b' }, true], ['env in (a,b)', {}, false], ['env notin (a)', {}, true], ['app.kubernetes.io/name=web', { 'app.kubernetes.io/name': 'web' }, true],
  ])('%s on %j is %s', (text, labels, wanted) => expect(fits(text, labels as Record<string, string>)).toBe(wanted));
  test.each(['', 'app=(', '=web', 'app in web', 'app=web tier=x'])('%s is none', (text) => expect(parseSelector(text)).toBeNull());
});

test.each([
  ['api:2.9', 'registry.example/shop/api:2.9', true], ['api:2.9', 'registry.example/shop/webapi:2.9', false], ['nginx', 'docker.io/library/nginx', true],
  ['registry.example/api:2.9', 'registry.example/api:2.8', false], ['shop/api:2.9', 'registry.example/shop/api:2.9', true],
])('%s names the image %s: %s', (expected, image, same) => expect(sameImage(expected, image)).toBe(same));

describe('manifests', () => {
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const named = async (...paths: string[]): Promise<string[]> =>
    (await readManifests(paths)).map(({ kind, name, namespace, file, line }) => `${kind}/${namespace ?? '-'}/${name} ${file}:${line}`);

  test('several documents, lists, JSON and flow style, each object with its line', async () => {
    const yaml = write('a.yaml', '# all\n---\napiVersion: v1\nkind: Service\nmetadata:\n  labels: {name: web}\n  name: front # the door\n---\nkind: Deployment\napiVersion: apps/v1\nmetadata: {name: web, namespace: shop}\nspec:\n  template: {spec: {containers: [{name: app}]}}\n');
    const list = write('b.yaml', 'apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: one\n- apiVersion: example.com/v1\n  kind: Widget\n  metadata:\n    name: two\n');
    const json = write('c.json', '{\n "apiVersion": "batch/v1",\n "kind": "Job",\n "metadata": {\n  "name": "once"\n }\n}\n');
    const at = (path: string): string => relative('.', path);
    expect(await named(yaml, list, json)).toEqual([
      `Service/-/front ${at(yaml)}:7`,
      `Deployment/shop/web ${at(yaml)}:11`,
      `Pod/-/one ${at(list)}:7`,
      `Widget.example.com/-/two ${at(list)}:11`,
      `Job/-/once ${at(json)}:5`,
    ]);
  });

  test('what kubectl apply would not take is refused', async () => {
    await expect(readManifests([write('d.yaml', 'a: [\n')])).rejects.toThrow(/line/);
    await expect(readManifests([write('e.yaml', 'resources: [a.yaml]\napiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n')])).rejects.toThrow('There is no Kubernetes object in');
    await expect(readManifests([join(folder, 'none.yaml')])).rejects.toThrow('none.yaml');
  });
});
