import { expect, it } from 'vitest';
import { type AuditEvent, auditLog } from '../audit.ts';

const KNOWN = ['cluster-test', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubelet', 'kube-proxy', 'csi-provisioner', 'csi-attacher', 'kubectl-strata'];
const READS = ['get', 'list', 'watch'];

/** Asking what one may do is a POST that stores nothing. */
const asksAboutItself = ({ verb, objectRef }: AuditEvent): boolean => verb === 'create' && /^selfsubject\w*reviews$/.test(objectRef?.resource ?? '');

it('has only read: the audit log of all its requests', () => {
  const log = auditLog();
  const own = log.filter(({ userAgent }) => userAgent?.startsWith('kubectl-strata/'));
  expect(own.length).toBeGreaterThan(500);
  const writes = own.filter((event) => !READS.includes(event.verb) && !asksAboutItself(event));
  expect(writes.map(({ verb, requestURI }) => `${verb} ${requestURI}`)).toEqual([]);
  // No other name hides a write of its own: everybody who wrote is known.
  const writers = new Set(log.filter(({ verb }) => !READS.includes(verb)).map(({ userAgent = '' }) => userAgent.split('/')[0] ?? ''));
  expect([...writers].filter((agent) => !KNOWN.includes(agent))).toEqual([]);
});
