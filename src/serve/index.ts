export { type OwnKubeconfig, writeKubeconfig } from './kubeconfig.ts';
export { type Served, type ServeOptions, serveSnapshot } from './server.ts';
