import type { Coverage } from '../model/coverage.ts';
import { resourceOfKind } from '../model/resources.ts';
import type { Pile } from './unpack.ts';

/**
 * What a dump says about being complete: a kind that is in it counts as listed, in every namespace that has objects in it;
 * a kind that is not was not collected. A cut list proves nothing absent, and a single object speaks only for itself.
 */
export function coverageOf(pile: Pile, namespaces: readonly string[]): Coverage[] {
  const counts = new Map<string, Map<string, number>>();
  for (const key of pile.objects.keys()) {
    const [kind = '', namespace = ''] = key.split('\0');
    let spaces = counts.get(kind);
    if (!spaces) counts.set(kind, (spaces = new Map()));
    spaces.set(namespace, (spaces.get(namespace) ?? 0) + 1);
  }
  const coverage: Coverage[] = [];
  for (const [kind, how] of pile.kinds) {
    const spaces = counts.get(kind) ?? new Map<string, number>();
    if (how === 'single' || (kind === 'Namespace' && !isWholeNamespaceList(pile))) {
      coverage.push(...singles(pile, kind));
      continue;
    }
    if (how === 'cut') {
      coverage.push({ kind, namespace: null, state: 'truncated', count: [...spaces.values()].reduce((sum, n) => sum + n, 0), message: 'the dump is cut off' });
      continue;
    }
    const namespaced = resourceOfKind(kind)?.namespaced ?? (spaces.size === 0 || !spaces.has(''));
    const listed = namespaced ? namespaces : [null];
    for (const namespace of listed) coverage.push({ kind, namespace, state: 'complete', count: spaces.get(namespace ?? '') ?? 0 });
  }
  return coverage;
}

// Every cluster has `default` and `kube-system` (controlplane/controller/systemnamespaces); a list without them was narrowed.
const isWholeNamespaceList = (pile: Pile): boolean => ['default', 'kube-system'].every((name) => pile.objects.has(`Namespace\0\0${name}`));

function singles(pile: Pile, kind: string): Coverage[] {
  const found: Coverage[] = [];
  for (const [key, object] of pile.objects) {
    if (!key.startsWith(`${kind}\0`)) continue;
    const { namespace = null, name } = object.metadata;
    found.push({ kind, namespace, state: 'complete', count: 1, selector: `metadata.name=${name}` });
  }
  return found;
}
