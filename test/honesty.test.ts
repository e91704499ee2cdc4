import { describe, expect, it } from 'vitest';
import { valueAt } from '../src/facts/address.ts';
import { diagnose } from '../src/engine/index.ts';
import type { Finding } from '../src/model/finding.ts';
import type { KubeObject } from '../src/model/kinds.ts';
import { kindKey } from '../src/model/resources.ts';
import type { Scope, Snapshot } from '../src/model/snapshot.ts';
import type { Report } from '../src/model/report.ts';
import { renderText } from '../src/render/text.ts';
import { ruleSet } from '../tools/rule-files.ts';
import { fixtures, open, opened } from './fixtures.ts';
import { forbid, poisoned, rebuilt, shuffled, subtrees, withNoise, without } from './honesty.ts';

const judge = (snapshot: Snapshot, scope: Scope): Report => diagnose(snapshot, scope, { rules: ruleSet(), strict: true });
const roots = (report: Report): Finding[] => report.findings.filter(({ role }) => role === 'root');
const key = (finding: Finding): string => `${finding.rule} ${finding.layer} ${finding.subjects.map(({ kind, name }) => `${kind}/${name}`).sort().join(' ')}`;
const bare = (report: Report): unknown => ({ verdict: report.verdict, findings: report.findings });

const PRUNINGS = 30;
/** What roles leave out together: a role for workloads without pods or events, one for namespaces without the cluster, none for storage. */
const PAIRS = [['Pod', 'Event'], ['Node', 'Event'], ['Node', 'Lease'], ['PersistentVolumeClaim', 'PersistentVolume'], ['Deployment', 'ReplicaSet'], ['Service', 'EndpointSlice'], ['Pod', 'ReplicaSet']];
const GOALS = new Set(['Pod', 'Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet', 'Job', 'CronJob', 'Service', 'Ingress', 'PersistentVolumeClaim', 'HorizontalPodAutoscaler', 'PodDisruptionBudget']);

/** Every replica that is wanted is there and ready, and nothing is on its way out. */
function isFull(snapshot: Snapshot): boolean {
  const wanted = ['Deployment', 'StatefulSet', 'ReplicaSet'].flatMap((kind) => snapshot.seen(kind).map((each) => each as { spec?: { replicas?: number }; status?: { availableReplicas?: number } }));
  const pods = snapshot.seen('Pod');
  return pods.every(({ metadata, status }) => !metadata.deletionTimestamp && (status?.conditions ?? []).some(({ type, status: value }) => type === 'Ready' && value === 'True'))
    && wanted.every(({ spec, status }) => (status?.availableReplicas ?? 0) === (spec?.replicas ?? 1));
}

describe.each(fixtures)('honest about $name', (fixture) => {
  it('replays to the same bytes, in whatever order the objects came', async () => {
    const [one, two] = [await open(fixture), await open(fixture)];
    const report = judge(one.snapshot, one.scope);
    expect(JSON.stringify(judge(two.snapshot, two.scope))).toBe(JSON.stringify(report));
    const mixed = rebuilt(one.snapshot, ({ objects }) => ({ objects: shuffled(objects) }));
    expect(bare(judge(mixed, one.scope))).toEqual(bare(report));
  });

  it('finds every evidence at its address', async () => {
    const { snapshot, scope } = await opened(fixture);
    for (const { evidence, title } of judge(snapshot, scope).findings) {
      expect(evidence.length, title).toBeGreaterThan(0);
      for (const { object, pointer, value } of evidence) {
        const name = `${object.kind}/${object.namespace ?? ''}/${object.name}`;
        const found = object.kind === 'APIServer'
          ? (snapshot.server as unknown as KubeObject)
          : snapshot.seen(kindKey(object.apiVersion ?? '', object.kind), object.namespace ?? '').find((each) => each.metadata.name === object.name);
        expect(found, `${title}: ${name} is not in the recording`).toBeDefined();
        if (object.uid) expect(found?.metadata.uid, name).toBe(object.uid);
        expect(valueAt(found, pointer) ?? null, `${name}${pointer}`).toEqual(value);
      }
    }
  });

  it('is moved by nothing unrelated', async () => {
    const { snapshot, scope } = await opened(fixture);
    expect(bare(judge(withNoise(snapshot), scope))).toEqual(bare(judge(snapshot, scope)));
  });

  it('names no other cause when a read is forbidden', async () => {
    const { snapshot, scope } = await opened(fixture);
    const whole = judge(snapshot, scope);
    const told = new Set(whole.findings.map(({ layer }) => layer));
    for (const kind of new Set(snapshot.coverage.map((entry) => entry.kind))) {
      const report = judge(forbid(snapshot, kind), scope);
      for (const finding of roots(report)) {
        if (finding.certainty === 'proven') expect(told, `without ${kind}: ${finding.title}`).toContain(finding.layer);
      }
      // Who has rights in one namespace never sees nodes; there the pods' own Ready stands for them.
      // Events of a fight, what belongs to no namespace: where all else is in its place, only what was not read tells of trouble. What has
      // a goal of its own (an autoscaler, a budget) leaves the verdict open.
      const only = !GOALS.has(kind) && isFull(snapshot) && roots(whole).every(({ evidence }) => evidence.some(({ object }) => kindKey(object.apiVersion ?? '', object.kind) === kind));
      if (whole.verdict === 'failed' && kind !== 'Node' && !only) expect(report.verdict, `without ${kind}`).not.toBe('healthy');
      if (whole.verdict === 'healthy') expect(['healthy', 'progressing', 'inconclusive', 'nothing-matched'], `without ${kind}`).toContain(report.verdict);
    }
  });

  it('names no other cause when two reads are forbidden', async () => {
    const { snapshot, scope } = await opened(fixture);
    const whole = judge(snapshot, scope);
    const told = new Set(whole.findings.map(({ layer }) => layer));
    for (const pair of PAIRS) {
      const report = judge(pair.reduce(forbid, snapshot), scope);
      const proven = roots(report).filter(({ certainty }) => certainty === 'proven');
      for (const finding of proven) expect(told, `without ${pair.join(' and ')}: ${finding.title}`).toContain(finding.layer);
      if (whole.verdict === 'healthy') expect(report.verdict, `without ${pair.join(' and ')}`).not.toBe('failed');
    }
  });

  it('is moved when its evidence is taken away', async () => {
    const { snapshot, scope } = await opened(fixture);
    for (const finding of roots(judge(snapshot, scope))) {
      // One event stands for all of its like: they are told as one, with their count.
      const likeness = (event: KubeObject): string => `${event['reason']} ${(event['involvedObject'] as { uid?: string } | undefined)?.uid}`;
      const names = new Set(finding.evidence.filter(({ object }) => object.kind === 'Event').map(({ object }) => object.name));
      const quoted = new Set(snapshot.seen('Event').filter((event) => names.has(event.metadata.name)).map((event) => likeness(event as unknown as KubeObject)));
      // The scheduler writes one sentence twice: into the pod's condition and into an event.
      const said = new Set(finding.evidence.flatMap(({ object, value }) => (object.kind === 'Pod' && value !== null && typeof value === 'object' && 'message' in value ? String(value.message) : [])));
      const gone = (object: KubeObject): KubeObject | null => {
        const mine = finding.evidence.filter(({ object: { kind, name, namespace } }) => kind === object.kind && name === object.metadata.name && namespace === object.metadata.namespace);
        if (object.kind === 'Event' && (quoted.has(likeness(object)) || said.has(String(object['message'])))) return null;
        if (mine.length === 0) return object;
        if (object.kind === 'Lease') return null;
        return mine.reduce((left, { pointer }) => without(left, pointer.slice(1).split('/')) as KubeObject, object);
      };
      const report = judge(rebuilt(snapshot, ({ objects, server }) => ({
        objects: objects.map(gone).filter((object) => object !== null),
        server: finding.on.kind === 'APIServer' ? { ...server, reached: null, connection: [], health: [], failures: [] } : server,
      })), scope);
      const same = roots(report).find((each) => key(each) === key(finding) && each.certainty === finding.certainty);
      expect(same && JSON.stringify([same.title, same.actual]), finding.title).not.toBe(JSON.stringify([finding.title, finding.actual]));
    }
  });

  it('throws on no half-written object', async () => {
    const { snapshot, scope } = await opened(fixture);
    const kinds = [...new Set(snapshot.kinds())];
    const paths = kinds.flatMap((kind) => [...new Set(snapshot.seen(kind).flatMap((object) => subtrees(object)))].map((path) => ({ kind, path: path.slice(1).split('/') })))
      .filter(({ path }) => !['apiVersion', 'kind'].includes(path[0] ?? '') && path.join('/') !== 'metadata' && path.join('/') !== 'metadata/name'
        // Made by the door itself, always whole.
        && path[1] !== 'writers');
    for (const { kind, path } of shuffled(paths).slice(0, PRUNINGS)) {
      const pruned = rebuilt(snapshot, ({ objects }) => ({
        objects: objects.map((object) => (kindKey(object.apiVersion, object.kind) === kind ? (without(object, path) as KubeObject) : object)),
      }));
      expect(() => judge(pruned, scope), `${kind} without ${path.join('/')}`).not.toThrow();
    }
  });

  it('lets no escape reach the terminal', async () => {
    const { snapshot, scope } = await opened(fixture);
    const report = judge(rebuilt(snapshot, ({ objects }) => ({ objects: objects.map((object) => poisoned(object) as KubeObject) })), scope);
    const text = renderText(report, { color: false, width: 80, verbose: true });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
  });
});
