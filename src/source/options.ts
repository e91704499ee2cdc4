import type { Scope, Snapshot } from '../model/snapshot.ts';

/** kubectl's own flags about the connection, by their names; absent where not given. */
export interface KubeFlags {
  kubeconfig?: string | undefined;
  context?: string | undefined;
  cluster?: string | undefined;
  user?: string | undefined;
  token?: string | undefined;
  server?: string | undefined;
  certificateAuthority?: string | undefined;
  insecureSkipTlsVerify?: boolean | undefined;
  tlsServerName?: string | undefined;
  as?: string | undefined;
  asGroup?: string[] | undefined;
  asUid?: string | undefined;
}

export interface SourceOptions {
  /** Dumps or recordings: file and directory names, `-` for stdin. Empty or absent: the cluster. */
  from?: readonly string[] | undefined;
  stdin?: NodeJS.ReadableStream | undefined;
  kube?: KubeFlags | undefined;
  /** `-n`, repeatable. Empty: the context's namespace for a cluster, everything for a dump. */
  namespaces?: readonly string[] | undefined;
  /** `-A`. */
  all?: boolean | undefined;
  /** `NAME` or `TYPE/NAME`, as typed. */
  targets?: readonly string[] | undefined;
  /** `-l`, as typed. */
  selector?: string | undefined;
  /** Overall budget for reading the cluster in ms; 0 or absent for none beyond the time-outs of single requests. */
  requestTimeout?: number | undefined;
  /** What a credential plugin may take, in ms. */
  loginTimeout?: number | undefined;
  /** For whoever looks again and again: keep what was listed up to date by watches. */
  watch?: boolean | undefined;
  /** One short line on what is being read, for the spinner. */
  onProgress?: ((text: string) => void) | undefined;
}

export interface Opened {
  snapshot: Snapshot;
  scope: Scope;
}
