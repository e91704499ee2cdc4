import type { KubeObject } from '../../model/kinds.ts';

/** One object that a spec refers to by a field `...Ref` with kind and name: sourceRef, issuerRef, secretStoreRef, nodeClassRef, ... */
export interface Reference {
  kind: string;
  name: string;
  namespace: string;
  /** What the field is of: `source` of sourceRef, `class` of nodeClassRef. */
  role: string;
}

/** Whether words that something is absent or not ready are of this reference: they have its kind, its name or what it is for. */
export function isMeant(words: string, { kind, name, role }: Reference): boolean {
  const said = words.slice(0, 2000).toLowerCase();
  const has = (part: string): boolean => part !== '' && said.includes(part.toLowerCase());
  return has(kind) || has(role) || has(name);
}

const DEPTH = 5;

/** The references in an object's spec or status, outermost first; a reference without a namespace is one in the object's own, or to a cluster-wide object. */
export function referencesIn(object: KubeObject, part: 'spec' | 'status' = 'spec'): Reference[] {
  const found: Reference[] = [];
  walk(object[part], DEPTH, (key, value) => {
    const { kind, name, namespace } = value;
    if (key.endsWith('Ref') && typeof kind === 'string' && typeof name === 'string') {
      found.push({
        kind,
        name,
        namespace: typeof namespace === 'string' ? namespace : (object.metadata.namespace ?? ''),
        role: (/[A-Za-z][a-z]*(?=Ref$)/.exec(key)?.[0] ?? '').toLowerCase(),
      });
    }
  });
  return found;
}

function walk(value: unknown, depth: number, visit: (key: string, value: Record<string, unknown>) => void): void {
  if (depth === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) return;
  for (const [key, each] of Object.entries(value)) {
    if (typeof each === 'object' && each !== null && !Array.isArray(each)) {
      visit(key, each as Record<string, unknown>);
      walk(each, depth - 1, visit);
    }
  }
}
