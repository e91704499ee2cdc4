import type { Layer } from './layer.ts';
import type { Reading } from './reads.ts';

/** Whether one reading is allowed; null where the server would not say. */
export interface AccessAnswer extends Reading {
  /** Null for the whole cluster. */
  namespace: string | null;
  allowed: boolean | null;
  /** The server's own words, where it had any. */
  message?: string | undefined;
}

/** What a diagnosis loses with a kind, by the rules that need it. */
export interface AccessCost {
  kind: string;
  /** Rules that cannot judge without it. */
  blind: string[];
  /** Rules that say less, or are less sure. */
  weaker: string[];
  /** Layers of both, in the order of the way from the API to traffic. */
  layers: Layer[];
}

/** What somebody may read of that which a diagnosis reads. */
export interface Access {
  apiVersion: 'kubectl-strata/v1';
  kind: 'Access';
  /** The user as the server knows them; the kubeconfig's name for them where it does not tell. */
  user: string;
  server: string;
  context?: string | undefined;
  version?: string | undefined;
  /** The server is a recording that is served: what it does not hold nobody may or may not read. */
  recording?: true | undefined;
  /** RFC 3339. */
  askedAt: string;
  /** Empty for all. */
  namespaces: string[];
  answers: AccessAnswer[];
  /** Of every kind with a reading that is refused. */
  costs: AccessCost[];
  requests: number;
  /** Why nothing could be asked at all. */
  failure?: string | undefined;
}
