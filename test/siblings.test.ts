import { expect, test } from 'vitest';
import { diagnose } from '../src/engine/index.ts';
import { ruleSet } from '../tools/rule-files.ts';
import { before, node, pod, snapshotOf, unready, waiting } from './build.ts';

const MISSING = 'rpc error: code = NotFound desc = failed to pull and unpack image "registry.example/app:2": failed to resolve reference "registry.example/app:2": registry.example/app:2: not found';

/** A pod that asks for an image that is not there, since so many seconds. */
const without = (namespace: string, seconds: number) => pod('web-1', {
  metadata: { namespace, uid: `pod-${namespace}`, creationTimestamp: before(seconds) },
  status: { phase: 'Pending', startTime: before(seconds), conditions: unready(['app'], seconds), containerStatuses: [waiting('app', 'ErrImagePull', MISSING, { image: 'registry.example/app:2' })] },
});

test('a neighbour with the same trouble is shown, and neither speaks for what was asked about nor dates it', () => {
  const snapshot = snapshotOf([node('node-1'), without('aside', 4000), without('shop', 100)]);
  const [finding, ...others] = diagnose(snapshot, { namespaces: ['shop'], all: false, targets: [] }, { rules: ruleSet(), strict: true }).findings;
  expect(others).toEqual([]);
  expect(finding).toMatchObject({ rule: 'image-pull', on: { namespace: 'shop' }, since: before(100) });
  expect(finding?.subjects.map(({ namespace }) => namespace)).toEqual(['shop', 'aside']);
  expect(finding?.next.join(' ')).toContain('-n shop ');
});
