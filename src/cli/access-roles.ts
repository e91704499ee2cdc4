import type { Access, AccessAnswer } from '../model/access.ts';
import { resourceOf } from '../model/reads.ts';

export interface Manifest {
  comment?: string;
  value: object;
}

const NAME = 'kubectl-strata';

/** Kinds with values that a role cannot hide: "list" on them is the right to read them all. */
const SECRET = new Set(['Secret', 'ConfigMap']);

/**
 * The smallest roles that allow what is refused (or, `whole`, everything that a diagnosis may read), with their bindings to
 * whoever asked. Secrets and ConfigMaps are left out: RBAC cannot allow their names alone.
 */
export function rolesFor(access: Access, whole: boolean): Manifest[] {
  const wanted = access.answers.filter(({ allowed }) => whole || allowed !== true);
  const plain = wanted.filter(({ kind }) => !SECRET.has(kind));
  const left = [...new Set(wanted.filter(({ kind }) => SECRET.has(kind)).map((answer) => resourceOf(answer).resource))];
  const places = [...new Set(plain.map(({ namespace }) => namespace))].sort((a, b) => (a ?? '').localeCompare(b ?? ''));
  const manifests = places.flatMap((namespace) =>
    roleAndBinding(
      access,
      namespace,
      plain.filter((answer) => answer.namespace === namespace),
    ),
  );
  const [first] = manifests;
  if (first && left.length > 0) first.comment = `Not in here: ${left.join(', ')}. Only their names are read, but RBAC cannot allow names without values.`;
  return manifests;
}

function roleAndBinding(access: Access, namespace: string | null, answers: readonly AccessAnswer[]): Manifest[] {
  const kind = namespace === null ? 'ClusterRole' : 'Role';
  // One cluster-wide name for two people would overwrite the other's rights.
  const name = namespace === null ? `${NAME}-${access.namespaces.join('-') || 'all'}`.slice(0, 63).replace(/-+$/, '') : NAME;
  const metadata = { name, ...(namespace === null ? {} : { namespace }) };
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  return [
    { value: { apiVersion, kind, metadata, rules: rulesOf(answers) } },
    {
      value: {
        apiVersion,
        kind: `${kind}Binding`,
        metadata,
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name },
        subjects: [subjectOf(access.user)],
      },
    },
  ];
}

/** Resources of one group with the same verbs are one rule. */
function rulesOf(answers: readonly AccessAnswer[]): object[] {
  const verbs = new Map<string, { group: string; resource: string; verbs: Set<string> }>();
  for (const answer of answers) {
    const { group, resource } = resourceOf(answer);
    const row = verbs.get(`${group}/${resource}`) ?? { group, resource, verbs: new Set() };
    row.verbs.add(answer.verb);
    verbs.set(`${group}/${resource}`, row);
  }
  const rules = new Map<string, { apiGroups: string[]; resources: string[]; verbs: string[] }>();
  for (const row of verbs.values()) {
    const list = [...row.verbs].sort();
    const rule = rules.get(`${row.group} ${list.join()}`) ?? { apiGroups: [row.group], resources: [], verbs: list };
    rule.resources.push(row.resource);
    rules.set(`${row.group} ${list.join()}`, rule);
  }
  return [...rules.values()];
}

function subjectOf(user: string): object {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):(.+)$/.exec(user) ?? [];
  return name ? { kind: 'ServiceAccount', name, namespace } : { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user };
}
