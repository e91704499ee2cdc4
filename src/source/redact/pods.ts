import { isFields } from '../../model/fields.ts';
import type { FreeForm, Tools } from './free-form.ts';

/**
 * Pods come by the thousand, and of them only some places can hold a text of the user's or a program's. Lists are counted through,
 * not iterated: most of a run is over before the loops are compiled.
 */
export function createPods({ given, said, words }: Tools, free: FreeForm): (pod: Record<string, unknown>, alike: boolean) => void {
  const handler = (at: unknown): void => {
    if (!isFields(at)) return;
    if (isFields(at['exec'])) words(at['exec']['command']);
    const get = at['httpGet'];
    if (!isFields(get)) return;
    free.pairs(get['httpHeaders']);
    if (typeof get['path'] === 'string') get['path'] = given(get['path']);
  };

  const containers = (list: unknown): void => {
    if (!Array.isArray(list)) return;
    for (let i = 0; i < list.length; i++) {
      const entry: unknown = list[i];
      if (!isFields(entry)) continue;
      free.pairs(entry['env']);
      words(entry['command']);
      words(entry['args'], entry['command']);
      handler(entry['livenessProbe']);
      handler(entry['readinessProbe']);
      handler(entry['startupProbe']);
      const lifecycle = entry['lifecycle'];
      if (isFields(lifecycle)) handler(lifecycle['preStop']), handler(lifecycle['postStart']);
    }
  };

  const message = (at: unknown): void => {
    if (isFields(at) && typeof at['message'] === 'string') at['message'] = said(at['message']);
  };

  const state = (at: unknown): void => {
    if (isFields(at)) message(at['waiting']), message(at['terminated']);
  };

  const messages = (list: unknown): void => {
    if (Array.isArray(list)) for (let i = 0; i < list.length; i++) message(list[i]);
  };

  const statuses = (list: unknown): void => {
    if (!Array.isArray(list)) return;
    for (let i = 0; i < list.length; i++) {
      const entry: unknown = list[i];
      if (!isFields(entry)) continue;
      state(entry['state']);
      state(entry['lastState']);
    }
  };

  return (pod, alike) => {
    const { spec, status } = pod;
    if (isFields(spec)) {
      if (!alike) containers(spec['containers']), containers(spec['initContainers']);
      containers(spec['ephemeralContainers']);
      const { volumes } = spec;
      // Of the other kinds only names and paths are given.
      if (Array.isArray(volumes)) for (const volume of volumes as unknown[]) if (isFields(volume) && !isPlain(volume)) free.walk(volume, false, 'volumes');
    }
    if (!isFields(status)) return;
    message(status);
    messages(status['conditions']);
    statuses(status['containerStatuses']);
    statuses(status['initContainerStatuses']);
    statuses(status['ephemeralContainerStatuses']);
  };
}

const isPlain = (volume: Record<string, unknown>): boolean =>
  'projected' in volume || 'configMap' in volume || 'secret' in volume || 'emptyDir' in volume || 'persistentVolumeClaim' in volume || 'hostPath' in volume;
