import { apply } from '../api.ts';
import type { Experiment, Root } from './experiment.ts';
import { deployment } from './objects.ts';
import { untilEvent, untilRefused } from './observe.ts';

export interface RefusedPods {
  id: string;
  covers: readonly string[];
  title: string;
  fixture?: string;
  /** Sets up what refuses; its name begins with the namespace's. */
  guard: (ns: string) => Promise<void>;
  /** The kind of what refuses. */
  kind: string;
  /** What the API server says of it. */
  event: RegExp;
  says: readonly RegExp[];
  certainty?: Root['certainty'];
  restore: (ns: string) => Promise<void>;
}

/** At admission something refuses the pods of Deployment `reports`, in a namespace named as the experiment. */
export function refusedPods({ id, fixture, guard, kind, event, says, certainty, restore, ...frame }: RefusedPods): Experiment {
  const namespace = id.toLowerCase();
  return {
    ...frame,
    id,
    namespace,
    ...(fixture === undefined ? {} : { fixture }),
    arrange: async () => {
      await guard(namespace);
      await untilRefused(namespace);
      await apply(deployment(namespace, 'reports'));
    },
    until: async () => {
      await untilEvent(namespace, 'ReplicaSet', 'FailedCreate', event);
    },
    expect: {
      verdict: 'failed',
      roots: [{ layer: 'admission', kind, name: new RegExp(`^${namespace}`), says, ...(certainty === undefined ? {} : { certainty }) }],
      effects: [{ kind: 'Deployment', name: /^reports$/ }],
    },
    restore: () => restore(namespace),
  };
}
