import type { LayerState } from '../model/finding.ts';
import type { Layer, Stage } from '../model/layer.ts';

/** The way from the API to traffic; standing at a rung means that the layers before it did their part. */
const WAY: readonly Layer[] = ['api', 'admission', 'controller', 'scheduler', 'kubelet', 'csi', 'cni', 'cri', 'application', 'service'];

/** Layers that are proven to have done their part for an object that came to this rung. */
const PASSED: Partial<Record<Stage, readonly Layer[]>> = {
  connect: [],
  observe: ['api', 'admission'],
  create: ['api', 'controller'],
  available: ['api', 'admission', 'controller'],
  churn: ['api', 'admission', 'controller', 'scheduler'],
  schedule: ['api', 'admission', 'controller'],
  volumes: ['api', 'admission', 'controller', 'scheduler'],
  sandbox: ['api', 'admission', 'controller', 'scheduler', 'csi'],
  init: ['api', 'admission', 'controller', 'scheduler', 'csi', 'cni'],
  image: ['api', 'admission', 'controller', 'scheduler', 'csi', 'cni'],
  start: ['api', 'admission', 'controller', 'scheduler', 'csi', 'cni'],
  startup: ['api', 'admission', 'controller', 'scheduler', 'csi', 'cni', 'cri'],
  ready: ['api', 'admission', 'controller', 'scheduler', 'csi', 'cni', 'cri'],
  serve: ['api', 'admission', 'controller', 'scheduler', 'csi', 'cni', 'cri', 'application'],
  finish: ['api', 'admission', 'controller', 'scheduler'],
  select: ['api', 'admission'],
  endpoints: ['api', 'admission', 'controller'],
  answer: ['api', 'admission', 'controller'],
  bind: ['api', 'admission'],
};

/** States of the layers for a finding of `layer` seen at `stage`: the broken one, those before it, those never reached. */
export function layersAt(stage: Stage, layer: Layer): Partial<Record<Layer, LayerState>> {
  const states: Partial<Record<Layer, LayerState>> = {};
  const passed = PASSED[stage];
  if (passed) {
    for (const each of WAY) states[each] = passed.includes(each) ? 'ok' : 'not-reached';
    // The kubelet has taken the pod once it is past scheduling; what it still has to do is what is failing.
    if (passed.includes('scheduler')) states.kubelet = 'reached';
    // Behind its sandbox, which the runtime has made: image and start are the runtime's, too.
    if (passed.includes('cni') && !passed.includes('cri')) states.cri = 'reached';
  }
  states[layer] = 'failed';
  return states;
}
