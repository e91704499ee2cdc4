import type { Finding, LayerState } from '../../model/finding.ts';
import type { Layer, Stage } from '../../model/layer.ts';

interface Step {
  name: string;
  state: LayerState;
  /** The layer that failed, where the step is not called by it. */
  at?: string;
}

/** The order in which a write becomes traffic; volumes come before the sandbox, the sandbox before the image. */
const WAY: readonly Layer[] = ['api', 'admission', 'controller', 'scheduler', 'kubelet', 'csi', 'cni', 'cri', 'application', 'service', 'finalizer'];

/** What a pod passes on its node, as the page calls it. `optional` rungs are shown only where the pod stopped there. */
const RUNGS: readonly { stage: Stage; name: string; optional?: true }[] = [
  { stage: 'volumes', name: 'volumes' },
  { stage: 'sandbox', name: 'sandbox' },
  { stage: 'init', name: 'init', optional: true },
  { stage: 'image', name: 'image' },
  { stage: 'start', name: 'start' },
  { stage: 'startup', name: 'startup', optional: true },
  { stage: 'ready', name: 'ready' },
  { stage: 'serve', name: 'traffic' },
];

/** `api ok > scheduler ok > sandbox FAILED at cni > image, start, ready, traffic not reached`; empty where nothing is known. */
export function pathInWords(finding: Finding): string {
  const steps = stepsOf(finding);
  const parts: string[] = [];
  let waiting: string[] = [];
  for (const step of steps) {
    if (step.state === 'not-reached') {
      waiting.push(step.name);
      continue;
    }
    parts.push(`${step.name} ${wordsOf(step)}`);
  }
  if (parts.length === 0) return '';
  if (waiting.length > 0) parts.push(`${waiting.join(', ')} not reached`);
  waiting = [];
  return parts.join(' > ');
}

function wordsOf({ state, at }: Step): string {
  if (state === 'failed') return at ? `FAILED at ${at}` : 'FAILED';
  return state;
}

function stepsOf({ layers, layer, stage, on }: Finding): Step[] {
  const known = (names: readonly Layer[]): Step[] =>
    names.flatMap((name) => {
      const state = layers[name];
      return state ? [{ name, state }] : [];
    });
  const stop = RUNGS.findIndex((rung) => rung.stage === stage);
  // Only a pod climbs these rungs; a claim or a Service has layers.
  if (on.kind !== 'Pod' || stop < 0) return known(WAY);
  const before = known(['api', 'admission', 'controller', 'scheduler']).filter(({ state }) => state !== 'failed');
  const rungs = RUNGS.flatMap(({ stage: rung, name, optional }, index): Step[] => {
    if (optional && rung !== stage) return [];
    if (index < stop) return [{ name, state: 'ok' }];
    return [index === stop ? { name, state: 'failed', at: layer } : { name, state: 'not-reached' }];
  });
  return [...before, ...rungs];
}
