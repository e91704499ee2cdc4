import { describe, expect, test } from 'vitest';
import { deployment, pod } from '../build.ts';
import { Snapshot } from '../../src/model/snapshot.ts';
import { parseTargets, resolveTarget } from '../../src/source/targets.ts';

const read = (...texts: string[]): string[] => parseTargets(texts).map(({ type, name }) => `${type}|${name}`);

describe('targets as typed', () => {
  test('TYPE and then names, as kubectl takes them', () => {
    expect(read('pods', 'web-1', 'web-2')).toEqual(['pods|web-1', 'pods|web-2']);
    expect(read('deploy', 'web')).toEqual(['deploy|web']);
  });
  test('several types, with names and without, and all', () => {
    expect(read('deploy,sts')).toEqual(['|deploy', '|sts']);
    expect(read('deploy,sts', 'web', 'api')).toEqual(['deploy|web', 'deploy|api', 'sts|web', 'sts|api']);
    expect(read('deploy,web')).toEqual(['|deploy,web']);
    expect(read('all')).toEqual([]);
    expect(read('deploy/all')).toEqual(['deploy|all']);
  });
  test('TYPE/NAME, and names alone', () => {
    expect(read('deploy/web', 'svc/web')).toEqual(['deploy|web', 'svc|web']);
    expect(read('web', 'api')).toEqual(['|web', '|api']);
    expect(read('jobs')).toEqual(['|jobs']);
  });
  test('a type alone is all of it in the namespaces, and an object of that name comes first', () => {
    const snapshot = new Snapshot({
      objects: [pod('a'), pod('b'), deployment('jobs')], coverage: [], capturedAt: '2026-03-01T12:00:00Z', source: { kind: 'files', name: 'd' }, cost: { requests: 0, bytes: 0, ms: 0 },
      server: { kind: 'APIServer', apiVersion: 'kubectl-strata/v1', metadata: { name: 'h' }, endpoint: '', reached: null, connection: [], health: [], failures: [] },
    });
    const found = (word: string, ...namespaces: string[]) => parseTargets([word]).flatMap((typed) => resolveTarget(typed, snapshot, namespaces)).map(({ kind, name }) => `${kind}/${name}`);
    expect(found('pods', 'shop').sort()).toEqual(['Pod/a', 'Pod/b']);
    expect(found('po').sort()).toEqual(['Pod/a', 'Pod/b']);
    expect(found('pods', 'other')).toEqual(['Pod/']);
    expect(found('sts')).toEqual(['StatefulSet/']);
    expect(found('nodes', 'shop', 'other')).toEqual(['Node/']);
    expect(found('jobs', 'shop')).toEqual(['Deployment/jobs']);
    expect(found('none', 'shop')).toEqual(['/none']);
  });
  test('what is neither is refused', () => {
    expect(() => read('a/b/c')).toThrow('is not a target');
  });
});
