/** A layer of the product's report (DESIGN of `src/model/layer.ts`); kept as text here, so that experiments do not depend on the product. */
export type Layer =
  | 'api'
  | 'admission'
  | 'controller'
  | 'scheduler'
  | 'kubelet'
  | 'cri'
  | 'cni'
  | 'csi'
  | 'finalizer'
  | 'service'
  | 'application';

export interface Root {
  layer: Layer;
  /** Kind and name of the object it was seen on, or of a subject of the finding. */
  kind: string;
  name: RegExp;
  /** Must be said in the finding: its title, expected, actual, conclusion or evidence. */
  says?: readonly RegExp[];
  /** `likely` where something that could not be read might hold another cause. */
  certainty?: 'proven' | 'likely';
}

export interface Expectation {
  verdict: 'healthy' | 'failed' | 'progressing' | 'inconclusive' | 'unreachable';
  /** Every root cause of the report, in any order; no other one may be there. */
  roots: readonly Root[];
  /** Objects that must be shown as following from a root. */
  effects?: readonly { kind: string; name: RegExp }[];
}

/** One thing done to a real cluster, and what the product must say of it. */
export interface Experiment {
  id: string;
  /** Rows of the knowledge checklist. */
  covers: readonly string[];
  title: string;
  namespace: string;
  /** Stops or breaks something that others need: nothing else may run beside it. */
  alone?: true;
  /** The state goes by, or wears off: it is brought about when its turn to be judged comes, not with all others. */
  passes?: true;
  /** Who asks: the name of a kubeconfig. Admin, if not said. */
  as?: string;
  /** What is asked about, where it is not the whole namespace: `deploy/web`. */
  targets?: readonly string[];
  /** Name of the folder that keeps its recording for tests without a cluster; none for states that others show as well. */
  fixture?: string;
  /** What runs beside the cluster for it, with versions: told in the fixture's provenance. */
  parts?: readonly string[];
  /** Brings the state about. The namespace exists. */
  arrange(): Promise<void>;
  /** Resolves when the state is really there: seen through the API, never by waiting a while. */
  until(): Promise<void>;
  /** Seconds for which it has to stand like that before it is judged. What is younger may yet come right, and is called progressing. */
  lasts?: number;
  expect: Expectation;
  /** What `trace TARGET` must show of it, spaces and line breaks made one space. */
  trace?: { target: string; says: readonly RegExp[] };
  /** Heals what `arrange` broke beyond the namespace, and waits until it is well again. The namespace is deleted for it. */
  restore?(): Promise<void>;
  /** After `restore` the namespace is well: old warnings and restarts are history. Names the fixture, where its recording is kept. */
  healed?: string | true;
}
