/** metav1.Status, the form of every refusal. */
export interface Status {
  kind: 'Status';
  apiVersion: 'v1';
  metadata: Record<string, never>;
  status: 'Failure';
  message: string;
  reason: string;
  code: number;
  details?: object | undefined;
}

/** A refusal as the API server writes it. */
export const failure = (code: number, reason: string, message: string, details?: object): Status => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message,
  reason,
  ...(details ? { details } : {}),
  code,
});

/**
 * What nobody read is neither there nor absent. A 404, as for an object that does not exist, but with a reason of its own, so
 * that whoever looks can tell them apart; never an empty list.
 */
export const NOT_RECORDED = 'NotRecorded';
/** Nobody read it: not the same as not there. */
export const notRecorded = (what: string, why = ''): Status => failure(404, NOT_RECORDED, `${what} is not in the recording: nothing is known of it${why}`);

export const notFound = (group: string, resource: string, name: string): Status =>
  failure(404, 'NotFound', `${group === '' ? resource : `${resource}.${group}`} "${name}" not found`, {
    name,
    ...(group === '' ? {} : { group }),
    kind: resource,
  });

export const readOnly = (): Status => failure(405, 'MethodNotAllowed', 'the recording is read-only');
