import { UserError } from '../model/errors.ts';
import { visible } from '../render/escape.ts';
import { serveSnapshot, writeKubeconfig } from '../serve/index.ts';
import { openLogs, openSource } from '../source/index.ts';
import { type Flags, sourceOptions } from './flags.ts';
import { withSpinner } from './spinner.ts';
import { print } from './terminal.ts';

/** `serve --from PATH [--port N]`: a recording as a read-only API server on loopback, until it is interrupted. */
export async function serve(flags: Flags & { port?: string }): Promise<number> {
  const [path] = flags.from ?? [];
  if (path === undefined) throw new UserError('serve gives back a recording or a bundle; none is named.', 'kubectl strata serve --from PATH');
  const port = portOf(flags.port);
  const { snapshot, scope } = await withSpinner((say) => openSource({ ...sourceOptions(flags), onProgress: say }));
  const served = await serveSnapshot(snapshot, { port, logs: openLogs(flags.from ?? []) });
  const config = await writeKubeconfig(served, scope.namespaces.length === 1 ? scope.namespaces[0] : undefined);
  // However it ends: main ends an interrupted program by itself.
  process.on('exit', config.remove);
  await print(`${visible(snapshot.source.name)} as of ${visible(snapshot.capturedAt)}, read-only, on ${served.url}\nexport KUBECONFIG=${config.path}\nCtrl-C ends it.\n`);
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
  await served.close();
  return 0;
}

function portOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new UserError(`"${text}" is no port.`, 'Take a number from 1 to 65535, or leave --port out.');
  return port;
}
