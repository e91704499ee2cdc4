/** One step on a pod's way to traffic. */
export interface TraceStep {
  /** created scheduled sandbox initialized image started ready endpoint ended */
  step: string;
  /** RFC 3339; '' where it is proven and its time is not told. */
  at: string;
  /** Seconds since the pod was created; null without a time. */
  after: number | null;
  /** How its containers ended: `code 1`, `OOMKilled, code 137`. */
  how?: string | undefined;
  /** The longest wait of all that are known. */
  slowest?: boolean | undefined;
}

/** An object with what it made, by UID. */
export interface TraceNode {
  kind: string;
  namespace?: string | undefined;
  name: string;
  uid?: string | undefined;
  /** RFC 3339, when it was made. */
  created?: string | undefined;
  /** What is worth knowing of it, in words. */
  says: string[];
  /** Of a pod. */
  node?: string | undefined;
  steps?: TraceStep[] | undefined;
  /** The step it waits for, and for how many seconds by now. */
  waits?: { step: string; seconds: number } | undefined;
  made: TraceNode[];
}
