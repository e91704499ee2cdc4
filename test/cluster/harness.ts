/** What tests on the real cluster use. */
export { apply, call, get, list, type Obj, patch, pathOf, type Reply, remove, waitForObject } from './api.ts';
export { type AuditEvent, auditLog, auditMark } from './audit.ts';
export { down, isUp, leftovers, status, up, type UpOptions } from './cluster.ts';
export { breakCni, removeCni, writeCni } from './cni.ts';
export { type Component, component } from './components.ts';
export { authority } from './credentials.ts';
export { certificate } from './certificates.ts';
export { kubeconfigPath as kubeconfig, writeKubeconfig } from './kubeconfig.ts';
export { API_PORT, apiServer, HOST_IP, IMAGE, NODES, nodeByName } from './layout.ts';
export { CannotRun } from './cannot-run.ts';
export { sleep, waitFor } from './wait.ts';
