/** Small changes of a recording that a real cluster could make, and what must hold of the two reports. */
import type { Finding } from '../../src/model/finding.ts';
import type { KubeObject } from '../../src/model/kinds.ts';
import type { Report } from '../../src/model/report.ts';
import { kindKey } from '../../src/model/resources.ts';
import type { Scope, Snapshot, SnapshotInput } from '../../src/model/snapshot.ts';
import { inputOf } from '../honesty.ts';

export interface Recording {
  name: string;
  snapshot: Snapshot;
  scope: Scope;
}

export interface Mutation {
  name: string;
  /** Null where the recording has nothing that it applies to. */
  bend: (recording: Recording) => Bent | null;
  /** What is wrong with the second report, given the first; nothing where it holds. */
  holds: (before: Report, after: Report, bent: Bent) => string[];
}

export interface Bent {
  input: SnapshotInput;
  scope?: Scope;
  /** Something in scope is not at its goal, by its own fields. */
  short?: boolean;
  /** How names and times of the first report read in the second. */
  as?: (text: string) => string;
}

export const keyOf = ({ apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): string => kindKey(apiVersion, kind);

export const namespaceOf = ({ snapshot, scope }: Recording): string | undefined =>
  scope.namespaces[0] ?? scope.targets.find(({ namespace }) => namespace)?.namespace ?? snapshot.seen('Pod')[0]?.metadata.namespace;

/** What is got by name, whether or not its list was read. */
const BY_NAME = new Set(['StorageClass', 'PersistentVolume']);

/** With these beside; what belongs to a list that was not read is not seen. */
export function plus(input: SnapshotInput, extra: readonly KubeObject[]): SnapshotInput {
  const listed = (object: KubeObject, namespace: string | null, kind: string): boolean =>
    kind === keyOf(object) && (namespace === null || namespace === object.metadata.namespace);
  const seen = extra.filter((object) => BY_NAME.has(keyOf(object)) || input.coverage.some(({ kind, namespace, state, selector }) => state === 'complete' && !selector && listed(object, namespace, kind)));
  const coverage = input.coverage.map((entry) =>
    (entry.state === 'complete' && !entry.selector ? { ...entry, count: entry.count + seen.filter((object) => listed(object, entry.namespace, entry.kind)).length } : entry));
  return { ...input, coverage, objects: [...input.objects, ...seen] };
}

/** Every object as `change` makes it. */
export const each = (snapshot: Snapshot, change: (object: KubeObject) => KubeObject): SnapshotInput => {
  const input = inputOf(snapshot);
  return { ...input, objects: input.objects.map((object) => change(structuredClone(object))) };
};

/** The whole recording as JSON text, changed. */
export function rewritten({ snapshot, scope }: Recording, change: (text: string) => string): { input: SnapshotInput; scope: Scope } {
  const anew = <T>(value: T): T => JSON.parse(change(JSON.stringify(value))) as T;
  const input = inputOf(snapshot);
  return { input: { ...input, objects: anew(input.objects), coverage: anew(input.coverage), server: anew(input.server), capturedAt: change(input.capturedAt) }, scope: anew(scope) };
}

export const firm = ({ findings }: Report): Finding[] => findings.filter(({ role, certainty }) => role === 'root' && certainty !== 'undetermined');

const line = ({ role, rule, layer, certainty, title, on }: Finding): string => `${role} ${rule} ${layer} ${certainty} ${on.kind}/${on.name}: ${title}`;

const lists = (before: string[], after: string[], what: string): string[] => {
  const [gone, come] = [before.filter((each) => !after.includes(each)), after.filter((each) => !before.includes(each))];
  return [...gone.map((each) => `${what} gone: ${each}`), ...come.map((each) => `${what} come: ${each}`)];
};

/** The same verdict, and word for word the same findings. */
export const same: Mutation['holds'] = (before, after, { as = (text) => text }) => [
  ...(before.verdict === after.verdict ? [] : [`verdict ${before.verdict} -> ${after.verdict}`]),
  ...lists(before.findings.map(line).map(as), after.findings.map(line), 'finding'),
];

/** The same causes in the same layers, as sure; the words may count otherwise. */
export const sameCauses: Mutation['holds'] = (before, after) => {
  const causes = (report: Report): string[] => [...new Set(report.findings.filter(({ role }) => role === 'root').map(({ rule, layer, certainty }) => `${rule} ${layer} ${certainty}`))];
  return [...(before.verdict === after.verdict ? [] : [`verdict ${before.verdict} -> ${after.verdict}`]), ...lists(causes(before), causes(after), 'cause')];
};

/** It was told of by events alone, of what is in its place by all that its fields say. */
const hangsOnEvents = (report: Report): boolean => firm(report).every(({ evidence }) => evidence.some(({ object }) => object.kind === 'Event'));

/** What stands in a layer that the first report does not name, or on what it does not speak of. */
export function otherLayers(before: Report, after: Report, least: (finding: Finding) => boolean = () => true): string[] {
  const told = new Set(before.findings.map(({ layer }) => layer));
  const followed = new Set(before.findings.flatMap(({ effects }) => effects.map(({ kind, name }) => `${kind}/${name}`)));
  return firm(after).filter((finding) => least(finding) && !told.has(finding.layer) && !followed.has(`${finding.on.kind}/${finding.on.name}`)).map((finding) => `another layer: ${line(finding)}`);
}

const proven = ({ certainty }: Finding): boolean => certainty === 'proven';

/** Less may be known, and less surely; nothing else may be proven. */
export const noOther: Mutation['holds'] = (before, after) => {
  const [one, two] = [before.verdict, after.verdict];
  const turned = (one === 'failed' && two === 'healthy' && !hangsOnEvents(before)) || (one === 'healthy' && two !== 'healthy' && two !== 'inconclusive');
  return [...otherLayers(before, after, proven), ...(turned ? [`verdict ${one} -> ${two}`] : [])];
};
