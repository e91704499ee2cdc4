import { UserError } from '../model/errors.ts';
import { visible } from '../render/escape.ts';
import { serveSnapshot, writeKubeconfig } from '../serve/index.ts';
import { type Moment, type Opened, isTimelineAlone, openLogs, openSource, readMoment, readTimeline } from '../source/index.ts';
import { type Flags, milliseconds, sourceOptions } from './flags.ts';
import { withSpinner } from './spinner.ts';
import { print } from './terminal.ts';

/** `serve --from PATH [--at TIME|DURATION] [--port N]`: a recording as a read-only API server on loopback, until it is interrupted. */
export async function serve(flags: Flags & { port?: string; at?: string }): Promise<number> {
  const [path] = flags.from ?? [];
  if (path === undefined) throw new UserError('serve gives back a recording or a bundle; none is named.', 'kubectl strata serve --from PATH');
  const port = portOf(flags.port);
  const chosen = momentOf(flags.at);
  if (chosen && flags.from?.length !== 1) throw new UserError('--at chooses a moment of one recording.', 'Give one --from.');
  // A gate's time line may stand alone: no single moment beside it.
  const alone = flags.from?.length === 1 && (await isTimelineAlone(path));
  const moment = chosen ?? (alone ? 'last' : undefined);
  const { snapshot, scope } = await withSpinner(async (say) => {
    const open = (): Promise<Opened> => openSource({ ...sourceOptions(flags), onProgress: say });
    if (!moment) return open();
    const snapshot = await readMoment(path, moment);
    return {
      snapshot,
      scope: { namespaces: flags.namespace ?? (await askedNamespaces(path)) ?? (alone ? { scope: { namespaces: [] } } : await open()).scope.namespaces },
    };
  });
  const served = await serveSnapshot(snapshot, { port, logs: openLogs(flags.from ?? []) });
  const config = await writeKubeconfig(served, scope.namespaces.length === 1 ? scope.namespaces[0] : undefined);
  // However it ends: main ends an interrupted program by itself.
  process.on('exit', config.remove);
  await print(
    `${visible(snapshot.source.name)} as of ${visible(snapshot.capturedAt)}, read-only, on ${served.url}\nexport KUBECONFIG=${config.path}\nCtrl-C ends it.\n`,
  );
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
  await served.close();
  return 0;
}

/** What the gate of a time line looked at; null where no gate made it. */
async function askedNamespaces(path: string): Promise<string[] | null> {
  const { scope } = ((await readTimeline(path)).asked ?? {}) as { scope?: { namespaces?: unknown } };
  return Array.isArray(scope?.namespaces) ? scope.namespaces.filter((name) => typeof name === 'string') : null;
}

function portOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new UserError(`"${text}" is no port.`, 'Take a number from 1 to 65535, or leave --port out.');
  return port;
}

/** `2026-03-01T12:00:43Z`, or how long after the beginning: `43s`, `+1m30s`. */
function momentOf(text: string | undefined): Moment | undefined {
  if (text === undefined) return undefined;
  // Without an offset it would be a time of whoever reads, and not of whoever recorded.
  const isTime = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/i.test(text);
  const at = isTime ? Date.parse(text.replace(' ', 'T')) : NaN;
  if (!Number.isNaN(at)) return { at };
  if (!/^\+?\d/.test(text) || /^\d{4}-/.test(text))
    throw new UserError(
      `"${text}" is neither a time nor a duration (--at).`,
      'Write it like 2026-03-01T12:00:43Z, or like 43s for so long after the beginning.',
    );
  return { after: milliseconds(text.replace(/^\+/, ''), '--at') ?? 0 };
}
