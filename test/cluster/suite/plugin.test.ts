import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { arrange, experiments, leave } from '../experiments/index.ts';
import { kubeconfigPath } from '../kubeconfig.ts';
import { kubectlStrata, reportOf } from './product.ts';

const selector = experiments.find(({ id }) => id === 'E21-selector');
if (!selector) throw new Error('the experiment E21-selector is not there');

beforeAll(() => arrange(selector));
afterAll(() => leave(selector));

describe('kubectl strata', () => {
  it('is found by kubectl as its plugin, and its exit code comes through', async () => {
    const ran = await kubectlStrata('-n', selector.namespace, '-o', 'json', '--kubeconfig', kubeconfigPath('admin'));
    expect(ran.code).toBe(1);
    expect(reportOf(ran).findings[0]?.layer).toBe('service');
  });

  it('judges one object by its short type name, as kubectl takes it', async () => {
    const ran = await kubectlStrata('deploy/catalog', '-n', selector.namespace, '-o', 'json', '--kubeconfig', kubeconfigPath('admin'));
    expect(reportOf(ran).scope.targets).toMatchObject([{ kind: 'Deployment', name: 'catalog' }]);
  });

  it('prints a page of 80 columns', async () => {
    const ran = await kubectlStrata('-n', selector.namespace, '--kubeconfig', kubeconfigPath('admin'));
    const lines = ran.stdout.trimEnd().split('\n');
    expect(lines[0]).toMatch(/e21-selector +FAILED/);
    expect(ran.stdout).toContain('v1.34.4');
    // A command to be pasted is not broken.
    expect(lines.filter((line) => line.length > 80 && !/^ +(?:next +)?kubectl /.test(line))).toEqual([]);
  });
});
