import { expect, test } from 'vitest';
import { layersAt } from '../src/engine/path.ts';

test('a container that was tried had its sandbox by the runtime', () => {
  expect(layersAt('start', 'application')).toMatchObject({ csi: 'ok', cni: 'ok', kubelet: 'reached', cri: 'reached', application: 'failed', service: 'not-reached' });
  expect(layersAt('image', 'cri')).toMatchObject({ cni: 'ok', cri: 'failed', application: 'not-reached' });
  expect(layersAt('sandbox', 'cni')).toMatchObject({ cni: 'failed', cri: 'not-reached' });
  expect(layersAt('ready', 'application')).toMatchObject({ cri: 'ok', application: 'failed' });
});
