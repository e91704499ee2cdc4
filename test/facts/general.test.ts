import { describe, expect, it } from 'vitest';
import { exitMeaning } from '../../src/facts/pods/exit-codes.ts';
import { family } from '../../src/facts/general.ts';
import type { KubeObject } from '../../src/model/kinds.ts';
import { Unknown } from '../../src/model/read.ts';
import { before, controlledBy, deployment, forbidden, pod, replicaSet, worldOf } from '../build.ts';

const web = deployment('web');
const set = replicaSet('web-1', web);
const one = pod('web-1-a', { metadata: controlledBy(set) }) as unknown as KubeObject;
const world = worldOf([web, set, one], { coverage: [forbidden('ConfigMap')] });

function call(name: string, ...args: unknown[]): unknown {
  const found = family.functions?.find((fn) => fn.name === name);
  if (!found) throw new Error(name);
  return found.call(world, one, ...args);
}

describe('functions of rules', () => {
  const cases: [string, unknown[], unknown][] = [
    ['plural', [1, 'time'], '1 time'],
    ['plural', [3, 'policy'], '3 policies'],
    ['plural', [2, 'class'], '2 classes'],
    ['plural', [0, 'day'], '0 days'],
    ['some', [[]], ''],
    ['some', [['a', 'b', 'a']], 'a, b'],
    ['some', [[one, web, 'c', 'd', 'e']], 'web-1-a, web, c and 2 more'],
    ['join', [['a', web], ' > '], 'a > web'],
    ['quantity', ['1500m'], 1.5],
    ['quantity', ['many'], null],
    ['amount', ['requests.memory', 1610612736], '1.5Gi'],
    ['age', [before(90)], 90],
    ['age', [''], null],
    ['age', [web], 3600],
    ['ago', [before(250)], '4m10s ago'],
    ['ago', [null], 'at an unknown time'],
    ['dur', [3600], '1h'],
    ['cut', ['one two three four', 13], 'one two…'],
    ['cut', ['short', 10], 'short'],
    ['exit', [137], exitMeaning(137).meaning],
    ['owner', [one], web],
    ['owner', [web], null],
    ['called', [web], 'Deployment/web'],
    ['find', ['ConfigMap', 'shop', 'c'], null],
    ['get', ['Secret', 'shop', 's'], null],
    ['get', ['Deployment', 'shop', 'web'], web],
    ['list', ['Deployment', 'shop'], [web]],
    ['cond', [one, 'Nothing'], null],
    ['cond', [null, 'Ready'], null],
    ['see', [one, '/spec/none/at/all'], null],
    ['classify', ['probes', ''], expect.objectContaining({ class: 'unknown' })],
  ];
  it.each(cases)('%s, case %#', (name, args, expected) => {
    expect(call(name, ...args)).toEqual(expected);
  });

  it('raises Unknown for what may not be read', () => {
    expect(() => call('get', 'ConfigMap', 'shop', 'c')).toThrow(Unknown);
    expect(() => call('list', 'ConfigMap', 'shop')).toThrow(Unknown);
  });

  it('gives values their address', () => {
    expect(call('see', one, '/spec/nodeName')).toMatchObject({ value: 'node-1', evidence: { pointer: '/spec/nodeName', value: 'node-1', text: 'spec.nodeName: node-1' } });
    expect(call('cond', one, 'Ready')).toMatchObject({ status: 'True', evidence: { pointer: '/status/conditions/2' } });
  });

  it.each([[0, 0, ''], [1, 0, ''], [137, 9, 'SIGKILL'], [143, 15, 'SIGTERM'], [139, 11, 'SIGSEGV'], [255, 0, ''], [200, 0, '']])('reads exit code %d', (code, signal, name) => {
    expect(exitMeaning(code)).toMatchObject({ code, signal, name });
    expect(exitMeaning(code).meaning).not.toMatch(/memory \(|OOM/);
  });
});
