import { describe, expect, test } from 'vitest';
import { deployment, pod } from '../build.ts';
import type { UserError } from '../../src/model/errors.ts';
import type { ApiServer } from '../../src/model/server.ts';
import { Snapshot, type SnapshotInput } from '../../src/model/snapshot.ts';
import { parseTargets, resolveTarget } from '../../src/source/targets.ts';

const read = (...texts: string[]): string[] => parseTargets(texts).map(({ type, name }) => `${type}|${name}`);

const snapshotWith = (objects: SnapshotInput['objects'], failures: ApiServer['failures'] = []): Snapshot => new Snapshot({
  objects, coverage: [], capturedAt: '2026-03-01T12:00:00Z', source: { kind: 'files', name: 'd' }, cost: { requests: 0, bytes: 0, ms: 0 },
  server: { kind: 'APIServer', apiVersion: 'kubectl-strata/v1', metadata: { name: 'h' }, endpoint: '', reached: null, connection: [], health: [], failures },
});

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
    const snapshot = snapshotWith([pod('a'), pod('b'), deployment('jobs')]);
    const found = (word: string, ...namespaces: string[]) => parseTargets([word]).flatMap((typed) => resolveTarget(typed, snapshot, namespaces)).map(({ kind, name }) => `${kind}/${name}`);
    expect(found('pods', 'shop').sort()).toEqual(['Pod/a', 'Pod/b']);
    expect(found('po').sort()).toEqual(['Pod/a', 'Pod/b']);
    expect(found('pods', 'other')).toEqual(['Pod/']);
    expect(found('sts')).toEqual(['StatefulSet/']);
    expect(found('nodes', 'shop', 'other')).toEqual(['Node/']);
    expect(found('jobs', 'shop')).toEqual(['Deployment/jobs']);
    expect(found('none', 'shop')).toEqual(['/none']);
  });
  test('a type that nothing has is told, with what is called nearly so: built in, or known by discovery', () => {
    const widget = { group: 'shop.example.com', kind: 'Widget', plural: 'widgets', namespaced: true, names: ['widgets', 'widget', 'wd'] };
    const refusal = (text: string, snapshot = snapshotWith([])): UserError => {
      try {
        parseTargets([text]).flatMap((typed) => resolveTarget(typed, snapshot, [], [widget]));
      } catch (error) {
        return error as UserError;
      }
      throw new Error(`${text} was resolved`);
    };
    const hint = (text: string): string => refusal(text).hint.replace(/ ?See kubectl api-resources .*$/, '');
    expect(refusal('deploymnet/web').message).toBe('Nothing here has the resource type "deploymnet" (in "deploymnet/web").');
    expect(hint('deploymnet/web')).toBe('Did you mean deployment/web?');
    expect(hint('Statefulsts.apps/db')).toBe('Did you mean statefulsets.apps/db?');
    expect(hint('wigdets/a')).toBe('Did you mean widgets/a?');
    expect(hint('deployment.example.com/web')).toBe('Did you mean deployment.apps/web?');
    expect(hint('gizmo/a')).toBe('');
    const untold = refusal('gizmo/a', snapshotWith([], [{ path: '/apis', code: null, message: 'no answer within 5 s', at: '' }]));
    expect([untold.message, untold.exitCode]).toEqual(['"gizmo" (in "gizmo/a") is no built-in resource type, and what else this server serves could not be read: no answer within 5 s.', 3]);
  });
  test('what is neither is refused', () => {
    expect(() => read('a/b/c')).toThrow('is not a target');
  });
});
