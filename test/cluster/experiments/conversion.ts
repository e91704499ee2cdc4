import { apply, call, get, type Obj, patch, remove, waitForObject } from '../api.ts';
import { authority } from '../credentials.ts';
import { CLOSED_PORT, HOST_IP, WEBHOOK_PORT } from '../layout.ts';
import { waitFor } from '../wait.ts';
import type { Experiment, Root } from './experiment.ts';
import { reachedAt } from './objects.ts';
import { condition, LIMIT } from './observe.ts';

const GROUP = 'ledger.strata.test';
const CRD = `entries.${GROUP}`;
const EXTENSIONS = 'apiextensions.k8s.io/v1';

const version = (name: string, storage: boolean): object => ({
  name,
  served: true,
  storage,
  schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { book: { type: 'string' } } } } } },
});

const definition = {
  apiVersion: EXTENSIONS,
  kind: 'CustomResourceDefinition',
  metadata: { name: CRD },
  // Stored as v1, and served as v2 before all: whoever asks for the newest version asks for a conversion.
  spec: { group: GROUP, scope: 'Namespaced', names: { plural: 'entries', singular: 'entry', kind: 'Entry', listKind: 'EntryList' }, versions: [version('v1', true), version('v2', false)] },
};

const conversion = (ns: string, service: string, path: string): object => ({
  spec: {
    conversion: {
      strategy: 'Webhook',
      webhook: {
        conversionReviewVersions: ['v1'],
        clientConfig: { service: { namespace: ns, name: service, path, port: 443 }, caBundle: Buffer.from(authority().cert).toString('base64') },
      },
    },
  },
});

const entriesOf = (ns: string): Promise<{ status: number; text: string }> => call('GET', `/apis/${GROUP}/v2/namespaces/${ns}/entries`);

interface Options {
  id: string;
  title: string;
  fixture?: string;
  service: string;
  port?: number;
  path?: string;
  says: readonly RegExp[];
  /** What the list of the kind answers. */
  error: RegExp;
  /** The namespace is deleted besides. */
  deleted?: true;
  effects?: Experiment['expect']['effects'];
  certainty?: Root['certainty'];
}

function unconvertible({ id, title, fixture, service, port = WEBHOOK_PORT, path = '/convert', says, error, deleted, effects = [], certainty }: Options): Experiment {
  const ns = id.toLowerCase();
  return {
    id,
    covers: ['E19', 'K41', 'K51', 'K59'],
    title,
    namespace: ns,
    ...(fixture === undefined ? {} : { fixture }),
    ...(deleted ? {} : { targets: ['entry/opening'] }),
    // The controllers that list every kind, and the deletion of namespaces, meet the kind everywhere.
    alone: true,
    arrange: async () => {
      await apply(definition);
      await waitForObject(EXTENSIONS, 'CustomResourceDefinition', '', CRD, (crd) => condition(crd, 'Established')?.status === 'True', LIMIT);
      const entry = { apiVersion: `${GROUP}/v1`, kind: 'Entry', metadata: { namespace: ns, name: 'opening' }, spec: { book: 'main' } };
      await waitFor('entries served', async () => ({ done: await apply(entry) }), LIMIT);
      await apply(reachedAt(ns, service, HOST_IP, port));
      await patch(EXTENSIONS, 'CustomResourceDefinition', '', CRD, conversion(ns, service, path));
      await waitFor(
        'entries not converted',
        async () => {
          const { status, text } = await entriesOf(ns);
          return status === 500 && error.test(text) ? { done: text } : { saw: `${status} ${text}` };
        },
        LIMIT,
      );
      if (deleted) await remove('v1', 'Namespace', '', ns);
    },
    until: async () => {
      if (deleted) await waitForObject('v1', 'Namespace', '', ns, (obj) => /conversion webhook/.test(condition(obj, 'NamespaceDeletionContentFailure')?.message ?? ''), LIMIT);
    },
    expect: {
      verdict: 'failed',
      roots: [{ layer: 'api', kind: 'CustomResourceDefinition', name: new RegExp(`^${CRD}$`), says, ...(certainty === undefined ? {} : { certainty }) }],
      effects,
    },
    restore: async () => {
      if (await get(EXTENSIONS, 'CustomResourceDefinition', '', CRD)) {
        await patch(EXTENSIONS, 'CustomResourceDefinition', '', CRD, { spec: { conversion: { strategy: 'None', webhook: null } } } satisfies Obj);
        await waitFor('entries listed again', async () => ((await entriesOf(ns)).status === 200 ? { done: true } : { saw: (await entriesOf(ns)).text }), LIMIT);
      }
      if (deleted) await waitForObject('v1', 'Namespace', '', ns, (obj) => obj === undefined, LIMIT);
      await remove(EXTENSIONS, 'CustomResourceDefinition', '', CRD);
      await waitForObject(EXTENSIONS, 'CustomResourceDefinition', '', CRD, (obj) => obj === undefined, LIMIT);
    },
  };
}

export const conversions: readonly Experiment[] = [
  unconvertible({
    id: 'E19-conversion', title: 'A namespace is deleted, and with it the Service that converts a kind in it', fixture: 'e19-conversion',
    service: 'ledger', port: CLOSED_PORT, error: /connection refused/, deleted: true,
    says: [/Entry/, /e19-conversion\/ledger/, /does not exist/], effects: [{ kind: 'Namespace', name: /^e19-conversion$/ }],
  }),
  unconvertible({
    id: 'E19-conversion-name', title: 'The conversion webhook of a kind has the certificate of another name',
    service: 'renamed', error: /x509/, says: [/Entry/, /policy\.elsewhere\.svc/],
  }),
  unconvertible({
    id: 'E19-conversion-answer', title: 'The conversion webhook of a kind answers that it cannot',
    service: 'ledger', path: '/convert-refused', error: /has no region/, says: [/Entry/, /has no region/],
  }),
];
