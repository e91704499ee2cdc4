import type { KubeObject, Service } from '../../model/kinds.ts';
import { need } from '../../model/read.ts';
import { type Addressed, evidenceAt, pointerTo } from '../address.ts';
import { type Labels, makersIn } from './endpoints-select.ts';
import { textsOf } from '../lists.ts';
import type { World } from '../world.ts';
import { isFinished } from '../pods/phase.ts';
import { controllerRef } from '../owners.ts';

/** A workload or a bare pod that a selector would match, but for one label. */
export interface Near extends Addressed {
  object: KubeObject;
  key: string;
  wanted: string;
  /** '' where the label is absent. */
  has: string;
  /** The label that carries the wanted value instead; '' where none does. */
  under: string;
  /** In words: `app=web wanted, Deployment/web has app=webb`. */
  differs: string;
  /** What it has: `app=webb`, `no label tier`. */
  text: string;
}

interface Candidate {
  object: KubeObject;
  labels: Labels;
  pointer: string;
}

/** The nearest misses of a Service's selector, best first, three at most. Raises Unknown where pods were not read. */
export function nearMisses(world: World, service: Service): Near[] {
  const { namespace = '', name } = service.metadata;
  const selector = textsOf(service.spec?.selector);
  return candidatesIn(world, namespace)
    .map((candidate) => missOf(selector, name, candidate))
    .filter((miss) => miss !== null)
    .sort((a, b) => b.score - a.score || a.near.object.metadata.name.localeCompare(b.near.object.metadata.name))
    .slice(0, 3)
    .map(({ near }) => near);
}

/** Templates stand for their pods; a pod stands for itself only where nothing that was read makes it. */
function candidatesIn(world: World, namespace: string): Candidate[] {
  const makers = makersIn(world, namespace);
  const pods = need(world.snapshot.list('Pod', namespace)) ?? [];
  const bare = pods.filter((pod) => !isFinished(pod) && controllerRef(pod) === null);
  return [
    ...makers.map(({ object, labels }) => ({
      object,
      labels,
      pointer: object.kind === 'CronJob' ? '/spec/jobTemplate/spec/template/metadata/labels' : '/spec/template/metadata/labels',
    })),
    ...bare.map((object) => ({ object, labels: textsOf(object.metadata.labels), pointer: '/metadata/labels' })),
  ];
}

/** Labels that no template has: a controller puts them on what it makes (apps/v1 DefaultDeploymentUniqueLabelKey, ControllerRevisionHashLabelKey). */
const GIVEN = ['pod-template-hash', 'controller-revision-hash'];

function missOf(selector: Labels, service: string, { object, labels, pointer }: Candidate): { near: Near; score: number } | null {
  const wrong = Object.entries(selector).filter(([key, value]) => labels[key] !== value);
  const [miss] = wrong;
  if (!miss || wrong.length !== 1) return null;
  const [key, wanted] = miss;
  const has = labels[key] ?? '';
  const under = Object.entries(labels).find(([other, value]) => other !== key && value === wanted && !Object.hasOwn(selector, other))?.[0] ?? '';
  const rest = Object.keys(selector).length - 1;
  const named = alike(service, object.metadata.name);
  // Members of one release share all labels but their name: another value alone says nothing.
  const slip = has !== '' && alike(has, wanted);
  const near = slip || named || under !== '' || (has === '' && rest > 0);
  if (!near) return null;
  const elsewhere = under !== '' && !slip;
  const found = elsewhere ? `${under}=${wanted} instead` : has ? `${key}=${has}` : `no label ${key}`;
  const own = has === '' && GIVEN.includes(key);
  const said = `${object.kind}/${object.metadata.name} ${own ? `gives its pods another ${key} with each template` : `has ${found}`}`;
  const differs = `${key}=${wanted} wanted, ${said}`;
  const at = elsewhere ? pointer + pointerTo(under) : has ? pointer + pointerTo(key) : pointer;
  return {
    near: { object, key, wanted, has, under, differs, text: own ? `another ${key} with each template` : found, evidence: evidenceAt(object, at, said) },
    score: rest + (named ? 2 : 0) + (slip ? 2 : 0) + (under ? 1 : 0),
  };
}

/** Whether two names look like one name written twice: case, separators, a slip of the pen, or one inside the other. */
export function alike(a: string, b: string): boolean {
  const [x, y] = [a, b].map((text) => text.toLowerCase().replace(/[^a-z0-9]/g, '')) as [string, string];
  if (x === '' || y === '') return false;
  if (x === y) return true;
  const [short, long] = x.length < y.length ? [x, y] : [y, x];
  if (short.length >= 3 && long.includes(short)) return true;
  return distance(x, y) <= Math.max(1, Math.floor(short.length / 4));
}

/** Edits (insert, delete, replace) between two short texts. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
