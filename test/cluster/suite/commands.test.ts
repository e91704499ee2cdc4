import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { Access } from '../../../src/model/access.ts';
import type { Report } from '../../../src/model/report.ts';
import type { TraceNode } from '../../../src/model/trace.ts';
import { apply, call, get, list, type Obj, remove } from '../api.ts';
import { arrange, experiments, leave } from '../experiments/index.ts';
import { untilAvailable } from '../experiments/observe.ts';
import { kubeconfigPath } from '../kubeconfig.ts';
import { waitFor } from '../wait.ts';
import { reportOf, strata } from './product.ts';

const selector = experiments.find(({ id }) => id === 'E21-selector');
if (!selector) throw new Error('the experiment E21-selector is not there');
const { namespace } = selector;

let dir = '';
const granted: Obj[] = [];
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'strata-commands-'));
  await arrange(selector);
  await untilAvailable(namespace, 'catalog');
});
afterAll(async () => {
  for (const { apiVersion, kind, metadata } of granted) await remove(apiVersion, kind, metadata.namespace ?? '', metadata.name);
  await leave(selector);
  await rm(dir, { recursive: true, force: true });
});

const as = (user: string): string[] => ['-n', namespace, '--kubeconfig', kubeconfigPath(user)];

describe('trace', () => {
  interface Trace { capturedAt: string; objects: TraceNode[] }

  it('follows a Deployment to its pods by UID, with the time of each step', async () => {
    const ran = await strata('trace', 'deploy/catalog', ...as('admin'), '-o', 'json');
    expect(ran.code, ran.stderr).toBe(0);
    const [deployment] = (JSON.parse(ran.stdout) as Trace).objects;
    const [set, ...others] = deployment?.made ?? [];
    const pods = await list('v1', 'Pod', namespace);
    expect(deployment?.uid).toBe((await get('apps/v1', 'Deployment', namespace, 'catalog'))?.metadata.uid);
    expect([set?.kind, others]).toEqual(['ReplicaSet', []]);
    const where = ({ uid, node }: { uid?: string | undefined; node?: string | undefined }): string => `${uid} on ${node}`;
    expect((set?.made ?? []).map(where).sort()).toEqual(pods.map((pod) => where({ uid: pod.metadata.uid, node: pod.spec.nodeName })).sort());
    for (const { steps = [], waits } of set?.made ?? []) {
      // The Service of this state selects nothing, so no pod gets an endpoint.
      expect(steps.map(({ step }) => step).filter((step) => !['initialized', 'image'].includes(step))).toEqual(['created', 'scheduled', 'sandbox', 'started', 'ready']);
      const after = steps.flatMap((step) => (step.after === null ? [] : [step.after]));
      expect(after, 'in the order in which they were').toEqual([...after].sort((a, b) => a - b));
      expect(waits).toBeUndefined();
    }
  });

  it('says the same of a recording', async () => {
    const directory = join(dir, 'recording');
    const recorded = await strata('record', 'deploy/catalog', ...as('admin'), '-o', directory);
    expect(recorded.code, recorded.stderr).toBe(0);
    const told = async (...where: string[]): Promise<unknown> => {
      const { capturedAt: _at, ...rest } = JSON.parse((await strata('trace', 'deploy/catalog', ...where, '-o', 'json')).stdout) as Trace;
      return rest;
    };
    expect(await told('--from', directory)).toEqual(await told(...as('admin')));
  });

  it('finds nothing that is not there', async () => {
    expect((await strata('trace', 'deploy/never-was', ...as('admin'))).code).toBe(4);
  });
});

describe('access', () => {
  const asked = async (user: string): Promise<{ code: number; access: Access }> => {
    const { code, stdout } = await strata('access', ...as(user), '-o', 'json');
    return { code, access: JSON.parse(stdout) as Access };
  };
  const refused = ({ answers }: Access): string[] => answers.flatMap(({ kind, verb, namespace: place, allowed }) => (allowed === true ? [] : [`${verb} ${kind} in ${place}`]));

  it('finds nothing refused to who may do everything', async () => {
    const { code, access } = await asked('admin');
    expect([code, access.user, refused(access), access.costs]).toEqual([0, 'admin', [], []]);
  });

  it('is told what the authorizer says to others of them', async () => {
    const { code, access } = await asked('limited');
    expect([code, access.user]).toEqual([3, 'limited']);
    for (const kind of ['Pod', 'Event', 'Node']) {
      const answer = access.answers.find((each) => each.kind === kind && each.verb === 'list');
      const spec = { user: 'limited', resourceAttributes: { verb: 'list', resource: `${kind.toLowerCase()}s`, ...(answer?.namespace ? { namespace: answer.namespace } : {}) } };
      const { body } = await call('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec });
      expect(answer?.allowed, kind).toBe(body.status.allowed);
      expect(access.costs.find((cost) => cost.kind === kind)?.blind.length, `rules that need ${kind}`).toBeGreaterThan(0);
    }
  });

  it('writes roles that are enough: with them the cause is found', async () => {
    const verdict = async (user: string): Promise<Pick<Report, 'verdict'> & { causes: string[] }> => {
      const { verdict: found, findings } = reportOf(await strata(...as(user), '-o', 'json'));
      return { verdict: found, causes: findings.filter(({ role }) => role === 'root').map(({ title, certainty }) => `${certainty}: ${title}`) };
    };
    const whole = await verdict('admin');
    expect((await verdict('limited')).causes).not.toEqual(whole.causes);
    const { stdout } = await strata('access', ...as('limited'), '-o', 'yaml');
    const roles = parseAllDocuments(stdout).map((document) => document.toJS() as Obj);
    expect(roles.map(({ kind }) => kind).sort()).toEqual(['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding']);
    granted.push(...roles);
    await apply(roles);
    await waitFor('the roles are taken up', async () => {
      const rest = refused((await asked('limited')).access).filter((line) => !/ (?:Secret|ConfigMap) /.test(line));
      return rest.length === 0 ? { done: true } : { saw: rest };
    }, 60_000, 1_000);
    expect(await verdict('limited')).toEqual(whole);
  });
});
