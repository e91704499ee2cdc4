/** Where the broken contract is. Order is the way of a write from the API to traffic; `finalizer` is the way out. */
export const LAYERS = ['api', 'admission', 'controller', 'scheduler', 'kubelet', 'cri', 'cni', 'csi', 'finalizer', 'service', 'application'] as const;
export type Layer = (typeof LAYERS)[number];

/** Rungs of the ladder (DESIGN section 1). An object stands at the first one it has not passed; a pod at one for each container. */
export const STAGES = [
  // Pod
  'schedule',
  'volumes',
  'sandbox',
  'init',
  'image',
  'start',
  'startup',
  'ready',
  'serve',
  'finish',
  // Workload
  'observe',
  'create',
  'available',
  'churn',
  // Service
  'select',
  'endpoints',
  'answer',
  // Claim
  'bind',
  // Node
  'lost',
  'notready',
  'pressure',
  // APIServer
  'connect',
  // anything: a status that says it failed; being deleted; at its goal
  'condition',
  'terminate',
  'goal',
] as const;
export type Stage = (typeof STAGES)[number];

/** Why a container does not run. Current state before last state. `killed`: by a signal whose sender was not seen. */
export const ENDINGS = ['image', 'refused', 'hook', 'oom', 'probe', 'killed', 'kubelet', 'exit', 'running'] as const;
export type Ending = (typeof ENDINGS)[number];

/** What one object gives another; a cause breaks what an effect lacks. */
export const CAPABILITIES = ['kubelet', 'runtime', 'network', 'disk', 'room', 'ready', 'endpoints', 'admits', 'bound', 'serves', 'gone'] as const;
export type Capability = (typeof CAPABILITIES)[number];

export const CERTAINTIES = ['proven', 'likely', 'undetermined'] as const;
export type Certainty = (typeof CERTAINTIES)[number];

/** What a gate may do with a cause: fail at once (permanent), after a second sighting (corroborated), or wait. */
export const PERMANENCES = ['permanent', 'corroborated', 'transient', 'capacity', 'waiting'] as const;
export type Permanence = (typeof PERMANENCES)[number];
