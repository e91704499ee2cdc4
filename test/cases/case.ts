/**
 * A case: what an incident looks like in the API, and what an engineer must be told about it.
 * `test/cases/<layer>/<id>.yaml`; `score.ts` prints how the rules do, `cases.test.ts` holds what they already do.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { JSON_SCHEMA, load } from 'js-yaml';
import type { Coverage } from '../../src/model/coverage.ts';
import type { KubeObject } from '../../src/model/kinds.ts';
import type { Certainty, Layer } from '../../src/model/layer.ts';
import type { Verdict } from '../../src/model/report.ts';
import { kindKey, resourceOfKind } from '../../src/model/resources.ts';
import type { ApiServer } from '../../src/model/server.ts';
import { type Scope, Snapshot } from '../../src/model/snapshot.ts';
import { admit } from '../../src/source/door.ts';
import { createNotes } from '../../src/source/notes.ts';
import { createRedactor } from '../../src/source/redact.ts';
import type { Reported } from './reported.ts';

export interface Expect {
  /** The verdict, or any of several where more than one is honest. */
  verdict: Verdict | Verdict[];
  /** Layer of the root finding. Absent where nothing may be claimed. */
  layer?: Layer;
  /** Layers that are acceptable, too. */
  also?: Layer[];
  /** The tempting wrong answer: no root may stand there. */
  not?: Layer;
  /** Layers of further roots that the incident really has. */
  others?: Layer[];
  /** The objects to act on, any one of them; `*` at the end of a name stands for the rest. */
  subject?: { kind: string; name: string }[];
  /** Regular expression that the root's heading, actual line or conclusion must match. */
  cause?: string;
  /** Causes that stand beside it and must be named, too, each by a root of its own. */
  and?: { layer: Layer; subject?: { kind: string; name: string }[]; cause?: string }[];
  /** Regular expression that no root's heading, actual line or conclusion may match. */
  never?: string;
  /** Least certainty wanted. */
  certainty?: Certainty;
  /** Most certainty that the API allows to claim. */
  most?: Certainty;
}

export interface Case {
  id: string;
  /** Folder it stands in. */
  group: string;
  file: string;
  now: string;
  note: string;
  /** Where it retells a public report: what that report says itself. */
  report?: Reported;
  scope: { namespaces?: string[]; all?: boolean; targets?: Scope['targets']; selector?: string };
  expect: Expect;
  /** Texts that only a client or a log shows, with the layers `explain` may give them. */
  explain: { text: string; layer: Layer | Layer[] }[];
  /** Kinds that were listed and are empty; `Kind@namespace` for one outside the scope. */
  absent: string[];
  /** Kinds that were listed over all namespaces, whatever the scope. */
  everywhere: string[];
  /** Kinds whose list was refused. */
  forbidden: string[];
  /** It was a file, not a cluster: its clock is the newest time in it. */
  dump?: boolean;
  server?: Partial<ApiServer>;
  objects: KubeObject[];
}

const HERE = import.meta.dirname;

/** Every case, in the order of its file; `filter` keeps those whose path holds it. */
export function loadCases(filter = ''): Case[] {
  return readdirSync(HERE, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.yaml') && name.includes(filter))
    .sort()
    .map((name) => {
      const raw = load(readFileSync(join(HERE, name), 'utf8'), { schema: JSON_SCHEMA }) as Partial<Case>;
      return {
        id: '', now: '', note: '', scope: {}, expect: { verdict: 'healthy' }, explain: [], absent: [], everywhere: [], forbidden: [], ...raw,
        objects: raw.objects ?? [], group: name.slice(0, Math.max(0, name.lastIndexOf('/'))), file: relative(HERE, join(HERE, name)),
      } satisfies Case;
    });
}

export const scopeOf = ({ scope }: Case): Scope => ({
  namespaces: scope.namespaces ?? [], all: scope.all ?? false, targets: scope.targets ?? [], ...(scope.selector ? { selector: scope.selector } : {}),
});

/**
 * What a source would have handed over. A kind with objects is listed completely wherever the case has one and in every namespace
 * of the scope; `absent` kinds are listed and empty there; everything else was not collected.
 */
export function snapshotOf(one: Case): Snapshot {
  const door = { redactor: createRedactor('cases'), notes: createNotes() };
  const objects = one.objects.map((raw) => admit(structuredClone(raw), door)).filter((object) => object !== null);
  const endpoint = one.server?.endpoint ?? 'https://10.0.0.1:6443';
  const server: ApiServer = {
    kind: 'APIServer', apiVersion: 'kubectl-strata/v1', metadata: { name: new URL(endpoint).host }, version: 'v1.34.4',
    reached: true, connection: [], health: [], failures: [], ...one.server, endpoint,
  };
  return new Snapshot({
    objects, coverage: coverageOf(one, objects), server, capturedAt: one.now,
    source: { kind: one.dump ? 'files' : 'cluster', name: endpoint }, cost: { requests: 1, bytes: 1, ms: 1 }, notes: door.notes.list(),
  });
}

function coverageOf(one: Case, objects: readonly KubeObject[]): Coverage[] {
  const places = new Map<string, Set<string | null>>();
  const within = one.scope.all ? [null] : (one.scope.namespaces ?? []);
  const listed = (kind: string, where: readonly (string | null)[]): void => {
    const spaces = places.get(kind) ?? new Set();
    for (const place of where) spaces.add(place);
    places.set(kind, spaces);
  };
  for (const object of objects) {
    const kind = kindKey(object.apiVersion, object.kind);
    if (one.forbidden.includes(kind)) continue;
    listed(kind, object.metadata.namespace === undefined ? [null] : [object.metadata.namespace, ...within]);
  }
  for (const entry of one.absent) {
    const [kind = '', namespace] = entry.split('@');
    listed(kind, namespace ? [namespace] : resourceOfKind(kind)?.namespaced === false ? [null] : within);
  }
  for (const kind of one.everywhere) listed(kind, [null]);
  const complete = [...places].flatMap(([kind, spaces]) =>
    (spaces.has(null) ? [null] : [...spaces]).map((namespace): Coverage => ({
      kind, namespace, state: 'complete', count: objects.filter((each) => kindKey(each.apiVersion, each.kind) === kind && (namespace === null || each.metadata.namespace === namespace)).length,
    })),
  );
  const refused = one.forbidden.flatMap((kind) =>
    (resourceOfKind(kind)?.namespaced === false ? [null] : within).map((namespace): Coverage => ({
      kind, namespace, state: 'forbidden', count: 0, code: 403, message: `${resourceOfKind(kind)?.resource ?? kind} is forbidden: User "jane" cannot list resource "${resourceOfKind(kind)?.resource ?? kind}"`,
    })),
  );
  return [...complete, ...refused];
}
