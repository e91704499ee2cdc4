import type { Capability, Certainty, Layer, Permanence, Stage } from './layer.ts';
import type { Gap } from './read.ts';

export interface Subject {
  apiVersion?: string | undefined;
  kind: string;
  namespace?: string | undefined;
  name: string;
  uid?: string | undefined;
}

/** An address a person can open with one kubectl command, and what stood there. */
export interface Evidence {
  object: Subject & { resourceVersion?: string | undefined };
  /** JSON pointer into the object; '' for the object itself. */
  pointer: string;
  /** The value at the pointer, verbatim. */
  value: unknown;
  /** RFC 3339 time of the observation itself, where it has one. */
  time?: string | undefined;
  /** One line in words. Untrusted text: escaped by every text renderer. */
  text: string;
}

/** Something that follows from a cause, or one step of the way to it. */
export interface Effect {
  kind: string;
  namespace?: string | undefined;
  name: string;
  uid?: string | undefined;
  says: string;
}

export const ROLES = ['root', 'consequence', 'preexisting', 'risk'] as const;
export type Role = (typeof ROLES)[number];

export const LAYER_STATES = ['ok', 'failed', 'reached', 'unknown', 'not-reached'] as const;
export type LayerState = (typeof LAYER_STATES)[number];

export interface Finding {
  /** Stable for the same cause in the same place: rule, layer and subject. */
  id: string;
  rule: string;
  layer: Layer;
  /** The rung it was seen at; with `layers` it draws the path. */
  stage: Stage;
  role: Role;
  certainty: Certainty;
  permanence: Permanence;
  /** RFC 3339. */
  since?: string | undefined;
  /** Where it was seen. */
  on: Subject;
  /** What it is about: the objects to act on. Siblings with one cause are merged here. */
  subjects: Subject[];
  title: string;
  expected: string;
  actual: string;
  conclusion: string;
  evidence: Evidence[];
  effects: Effect[];
  next: string[];
  /** From the root to where it was seen, one entry an object. */
  chain: Effect[];
  layers: Partial<Record<Layer, LayerState>>;
  /** Holes: what could not be read and would have said more. */
  unread: Gap[];
  /** Where causes need each other: KIND/NAMESPACE/NAME of each member, which lacks the one behind it, and the last the first. */
  deadlock?: string[] | undefined;
  breaks: Capability[];
  lacks?: Capability | undefined;
}

const LASTING: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'DaemonSet', 'CronJob', 'Job']);

/** Where a finding stands by a name that lasts: pods and ReplicaSets come and go under new ones, the workload above them stays. */
export function lastingOf({ on, chain }: Pick<Finding, 'on' | 'chain'>): Pick<Subject, 'kind' | 'namespace' | 'name'> {
  if (on.kind !== 'Pod' && on.kind !== 'ReplicaSet' && on.kind !== 'Job') return on;
  return chain.find((step) => LASTING.has(step.kind) && step.namespace === on.namespace) ?? on;
}
