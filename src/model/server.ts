/**
 * The API server as an object: what answered, what did not. A failed connection is evidence, not a crash.
 * For a dump only `endpoint` and `version` may be known, and `reached` is null: nothing is known of the server.
 */
export interface ApiServer {
  kind: 'APIServer';
  apiVersion: 'kubectl-strata/v1';
  metadata: { name: string; uid?: string };
  /** https://host:port as the kubeconfig says; empty for a dump. */
  endpoint: string;
  context?: string | undefined;
  user?: string | undefined;
  /** The name that its certificate must bear, where the kubeconfig gives another than the host (tls-server-name). */
  serverName?: string | undefined;
  version?: string | undefined;
  /** true: it answered at least one request; false: it never did; null: not asked (dump). */
  reached: boolean | null;
  /** How far the connection came: each step in the order dns, tcp, tls, http. Empty for a dump. */
  connection: ConnectionStep[];
  /** /readyz and /livez by check, where permitted. */
  health: HealthCheck[];
  /** Whether storage answered a read that no cache may answer; absent where none was tried to the end. */
  consistentRead?: boolean | undefined;
  /** Answers that were not success, one for each request that failed for good. */
  failures: Failure[];
  /** The server's serving certificate, where TLS came far enough to show it. */
  certificate?: { subject: string; issuer: string; notBefore: string; notAfter: string; names: string[] } | undefined;
  /** What was shown to the server as proof of who asks; without its secret part. */
  credential?: Credential | undefined;
}

export interface Credential {
  kind: 'certificate' | 'token' | 'password' | 'none';
  /** The name in it: a certificate's common name, a token's subject; empty where it does not say. */
  subject: string;
  /** RFC 3339, where the credential carries them (a certificate, a JWT). A 401 after `notAfter` is an expired credential. */
  notBefore?: string | undefined;
  notAfter?: string | undefined;
}

export interface ConnectionStep {
  step: 'dns' | 'proxy' | 'tcp' | 'tls' | 'http';
  ok: boolean;
  ms?: number | undefined;
  /** Node's error code or the library's own: ENOTFOUND, ECONNREFUSED, ETIMEDOUT, CERT_HAS_EXPIRED, ... */
  code?: string | undefined;
  message?: string | undefined;
}

export interface HealthCheck {
  /** `/readyz`, `/livez`. */
  path: string;
  /** `etcd`, `informer-sync`, `poststarthook/...`; empty for the answer as a whole. */
  check: string;
  ok: boolean;
  code?: number | undefined;
  message?: string | undefined;
}

export interface Failure {
  /** Path without query. */
  path: string;
  /** HTTP status; null where the connection failed or nothing came in time. */
  code: number | null;
  reason?: string | undefined;
  message: string;
  /** RFC 3339. */
  at?: string | undefined;
}
