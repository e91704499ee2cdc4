import type { Finding, LayerState } from '../../model/finding.ts';
import type { Layer, Stage } from '../../model/layer.ts';
import { GLUE } from '../wrap.ts';

interface Step {
  name: string;
  state: LayerState;
  /** The layer that failed, where the step is not called by it. */
  at?: string;
}

/** What is to end as a running container; a claim or a Service has nothing of this behind it. */
const RUNS = new Set(['Pod', 'Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet', 'Job', 'CronJob', 'ReplicationController']);

/** More steps than these are not worth their names. */
const MANY = 4;

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

/**
 * `api, admission, scheduler ok > sandbox FAILED at cni > image, start, ready, traffic not reached`; empty where it would say no more
 * than the heading. What the object never had to pass (a Service needs no scheduler) is left out.
 */
export function pathInWords(finding: Finding): string {
  if (finding.stage === 'connect') return '';
  const steps = stepsOf(finding);
  const stop = steps.findIndex(({ state }) => state === 'failed');
  const passed = steps.slice(0, stop + 1).filter(({ state }) => state !== 'not-reached');
  const rest = steps.slice(stop + 1);
  const waiting = !RUNS.has(finding.on.kind) ? [] : rest.filter(({ state }) => state === 'not-reached').map(({ name }) => name);
  // Behind a failure nothing can be well; what is not known there is said.
  const shown = [...passed, ...rest.filter(({ state }) => state === 'failed' || state === 'unknown')];
  // Whoever only waits for somebody has not failed.
  const parts = together(shown, finding.permanence === 'waiting' ? 'WAITS' : 'FAILED');
  if (waiting.length > MANY) parts.push(`nothing behind it reached`.replaceAll(' ', GLUE));
  else if (waiting.length > 0) parts.push(`${waiting.join(', ')} not${GLUE}reached`);
  return shown.length > 1 || waiting.length > 0 ? parts.join(` >${GLUE}`) : '';
}

/** `api, admission, controller ok`: steps of one state after another are said at once. */
function together(steps: readonly Step[], stopped: string): string[] {
  const parts: { names: string[]; words: string }[] = [];
  for (const step of steps) {
    const words = wordsOf(step, stopped);
    const last = parts.at(-1);
    if (last && last.words === words) last.names.push(step.name);
    else parts.push({ names: [step.name], words });
  }
  return parts.map(({ names, words }) => `${names.join(', ')}${GLUE}${words.replaceAll(' ', GLUE)}`);
}

function wordsOf({ state, at }: Step, stopped: string): string {
  if (state === 'failed') return at ? `${stopped} at ${at}` : stopped;
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
