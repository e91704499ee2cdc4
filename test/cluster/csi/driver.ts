// A storage driver (CSI) that keeps volumes as folders. A process of its own: with a node's name it is the node plugin
// there, which the kubelet calls; without one the controller plugin, which the sidecars call.
import { nodeByName } from '../layout.ts';
import { CSI_DRIVERS, controllerSocket, nodeSocket, registrationSocket } from './layout.ts';
import { endOn, serve } from './serve.ts';
import { controller, identity, nodePlugin, registration } from './services.ts';

const [name = '', nodeName] = process.argv.slice(2);
const which = Object.values(CSI_DRIVERS).find((driver) => driver.name === name);
if (!which) throw new Error(`no driver ${name}`);

if (nodeName === undefined) {
  endOn('SIGTERM', [controllerSocket(which)]);
  await serve(controllerSocket(which), 'csi.proto', { 'csi.v1.Identity': identity(which), 'csi.v1.Controller': controller(which) });
} else {
  const node = nodeByName(nodeName);
  endOn('SIGTERM', [registrationSocket(which, node), nodeSocket(which, node)]);
  await serve(nodeSocket(which, node), 'csi.proto', { 'csi.v1.Identity': identity(which), 'csi.v1.Node': nodePlugin(which, node) });
  await serve(registrationSocket(which, node), 'pluginregistration.proto', { 'pluginregistration.Registration': registration(which, node) });
}
