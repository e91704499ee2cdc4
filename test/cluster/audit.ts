import { existsSync, readFileSync, statSync } from 'node:fs';
import { paths } from './layout.ts';

/** The part of an `audit.k8s.io/v1` Event that tests ask about. Level Metadata: no bodies. */
export interface AuditEvent {
  auditID: string;
  stage: string;
  requestURI: string;
  verb: string;
  user: { username: string; groups?: string[] };
  userAgent?: string;
  objectRef?: { resource?: string; subresource?: string; namespace?: string; name?: string; apiGroup?: string; apiVersion?: string };
  responseStatus?: { code?: number };
  requestReceivedTimestamp: string;
}

/** Where the log stands now; what comes later is read with `auditLog(mark)`. */
export const auditMark = (): number => (existsSync(paths.audit) ? statSync(paths.audit).size : 0);

/** Every request of which the API server has written since `mark`. A request is written when it has been answered. */
export function auditLog(mark = 0): AuditEvent[] {
  if (!existsSync(paths.audit)) return [];
  const lines = readFileSync(paths.audit).subarray(mark).toString().split('\n');
  // The last one may still be being written.
  lines.pop();
  return lines.map((line) => JSON.parse(line) as AuditEvent);
}
