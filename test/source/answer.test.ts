import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { withoutFieldTrees } from '../../src/source/cluster/field-trees.ts';
import { parseAnswer } from '../../src/source/cluster/parse.ts';

const tree = (key: string): object => ({ manager: 'kubelet', operation: 'Update', time: '2026-01-01T00:00:00Z', fieldsV1: { 'f:status': { [key]: { '.': {}, 'f:type': {} } } } });
const KEYS = ['f:phase', 'k:{"type":"Ready"}', 'v:"]}"', 'v:"\\\\"', 'v:"a\\"],[{"', 'k:{"name":"ü"}'];
const pod = (n: number, more: object = {}): object => ({
  metadata: { name: `pod-${n}`, labels: { app: 'x' }, managedFields: KEYS.map(tree), ...more },
  spec: { containers: [{ name: 'app', args: [',"managedFields":[', '},{"metadata":{', '"finalizers":[no'] }] }, status: {},
});
const list = (items: readonly object[], more: object = {}): object => ({ kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '7', continue: 'abc' }, items, ...more });
const bytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const many = (make: (n: number) => object): object[] => Array.from({ length: 120 }, (_, n) => make(n));

describe('field trees', () => {
  const without = (value: unknown): unknown => JSON.parse(withoutFieldTrees(bytes(value)).toString());
  const stripped = (value: unknown): unknown => JSON.parse(JSON.stringify(value, (key, held: unknown) => (key === 'managedFields' ? undefined : held)));

  test('are left out of every object, and nothing else is, whatever stands in their keys and in texts', () => {
    const full = list([pod(1), pod(2), pod(3)]);
    expect(without(full)).toEqual(stripped(full));
    expect(without(pod(1))).toEqual(stripped(pod(1)));
    expect(without(list([pod(1, { managedFields: [] }), pod(2)]))).toEqual(stripped(list([pod(1), pod(2)])));
  });

  test('stay where anything has a finalizer: then it is asked who set it', () => {
    const full = list([pod(1), pod(2, { finalizers: ['example.com/x'] })]);
    expect(without(full)).toEqual(full);
  });

  test('stay where they are written in another way than a server writes them', () => {
    const first = { metadata: { managedFields: [tree('f:x')], name: 'a' } };
    expect(without(first)).toEqual(first);
    const pretty = Buffer.from(JSON.stringify(list([pod(1)]), null, 2));
    expect(withoutFieldTrees(Buffer.from(pretty)).equals(pretty)).toBe(true);
  });

  test('an answer that is cut off at any byte is one afterwards, too', () => {
    const whole = bytes(list([pod(1), pod(2)]));
    for (let end = 0; end < whole.length; end++) expect(() => void JSON.parse(withoutFieldTrees(Buffer.from(whole.subarray(0, end))).toString())).toThrow();
  });
});

describe('a long answer', () => {
  const same = (text: string): void => expect(parseAnswer(Buffer.from(text))).toEqual(JSON.parse(text));

  test('is what JSON.parse makes of it, whatever its objects hold', () => {
    const lists = [
      list(many(pod)), list(many((n) => pod(n, { annotations: { words: 'grün' } }))), list(many((n) => ({ kind: 'Pod', apiVersion: 'v1', ...pod(n) }))),
      list(many((n) => ({ ...pod(n), nested: [{ metadata: { name: 'a' } }, { metadata: { name: 'b' } }] }))),
      { metadata: {}, items: many((n) => ({ items: [pod(n)] })) }, many(pod), list([], { text: 'x'.repeat(100_000) }),
      { ...list(many(pod)), after: { metadata: {} } }, list([...many(pod), { other: [{ metadata: { name: 'a' } }, { metadata: { name: 'b' } }] }]),
    ];
    for (const each of lists) {
      same(JSON.stringify(each));
      same(`${JSON.stringify(each)}\n`);
      same(JSON.stringify(each, null, 1));
    }
  });

  test('gives each of its objects once, in order, and holds what is made of it', () => {
    for (const each of [list(many(pod)), list([pod(1)]), { ...list(many(pod)), after: {} }, list([...many(pod), { other: [{ metadata: {} }, { metadata: {} }] }, pod(7)])] as { items: object[] }[]) {
      const seen: unknown[] = [];
      const made = parseAnswer(Buffer.from(JSON.stringify(each)), (item) => seen.push(item)) as { items: unknown[] };
      expect(seen).toEqual(each.items);
      expect(made).toEqual({ ...each, items: each.items.map((_, index) => index + 1) });
    }
  });

  test('that is broken anywhere is refused as JSON.parse refuses it', () => {
    const text = JSON.stringify(list(many(pod)));
    for (const broken of [text.slice(0, -1), text.slice(0, -2), text.slice(0, 70_000), `${text}}`, `${text} x`, text.replace('},{"metadata":{', '},,{"metadata":{'), text.replace('"items":[', '"items":[,')]) {
      const words = (parse: () => unknown): string => {
        try {
          return `parsed ${JSON.stringify(parse()).length}`;
        } catch (error) {
          return String(error);
        }
      };
      expect(words(() => parseAnswer(Buffer.from(broken)))).toBe(words(() => JSON.parse(broken)));
      expect(words(() => JSON.parse(broken))).toContain('SyntaxError');
    }
  });

  test('the lists of every recording, as a server would send them', () => {
    const folder = join(import.meta.dirname, '../../fixtures');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((each) => /lists\/.*pods[^/]*$/.test(each));
    const items = files.flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n').slice(1).map((line) => JSON.parse(line) as object));
    expect(items.length).toBeGreaterThan(100);
    same(JSON.stringify(list(items)));
  });
});
