/** What it means to stand at a rung, behind the name of the object. */
const RUNGS: Record<string, string> = {
  schedule: 'has no node',
  volumes: 'waits for its volumes',
  sandbox: 'has no sandbox and no network yet',
  init: 'is at its init containers',
  image: 'has no image yet',
  start: 'has a container that is not started, or does not stay up',
  startup: 'has not passed its startup probe',
  ready: 'is not ready',
  serve: 'is ready and not in service',
  finish: 'has not ended well',
  observe: 'is changed, and its controller has not seen it',
  create: 'has fewer pods than asked for',
  available: 'has pods that are not available',
  churn: 'has pods that come and go',
  select: 'selects no pod',
  endpoints: 'has no ready endpoint',
  answer: 'does not answer yet',
  bind: 'is not bound',
  lost: 'is silent',
  notready: 'is not ready',
  pressure: 'is under pressure',
  connect: 'does not answer',
  condition: 'says itself that it is not well',
  terminate: 'is being deleted',
};

/** Rungs that mean something else where nothing selects pods. */
const RUNGS_OF: Record<string, Record<string, string>> = {
  Ingress: {
    select: 'is of a class that does not exist',
    endpoints: 'names a Service that does not exist',
    answer: 'names a port or a certificate that does not exist',
  },
  Gateway: { select: 'is of a class that does not exist' },
  HTTPRoute: { select: 'names a Gateway that does not exist', endpoints: 'names a Service that does not exist', answer: 'names a port that does not exist' },
};

const UNTOLD = 'could not be followed';

/** `has no node and is being deleted`. */
export const rungsInWords = ({ at, kind }: { at: readonly string[]; kind: string }): string =>
  at.map((rung) => RUNGS_OF[kind.split('.')[0] ?? '']?.[rung] ?? RUNGS[rung] ?? rung).join(', ') || UNTOLD;
