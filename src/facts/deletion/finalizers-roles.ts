import type { KubeObject } from '../../model/kinds.ts';
import { listOf } from '../lists.ts';
import type { World } from '../world.ts';

interface Rule {
  apiGroups?: string[];
  resources?: string[];
  verbs?: string[];
}
interface Binding {
  roleRef?: { kind?: string; name?: string };
  subjects?: { kind?: string; name?: string; namespace?: string }[];
}

const WRITES = new Set(['update', 'patch', '*']);

/**
 * ServiceAccounts (`namespace/name`) that a role made for this very group lets write the resource or its finalizers,
 * of what was read. Roles for every group say nothing of who the controller is.
 */
export function accountsOn(world: World, group: string, resource: string): Set<string> {
  if (group === '') return new Set();
  return world.memo(world.snapshot, `index:accounts:${group}/${resource}`, () => {
    const roles = new Set<string>();
    for (const kind of ['ClusterRole', 'Role']) {
      for (const role of world.snapshot.seen(kind)) {
        if (listOf(role['rules'] as Rule[] | undefined).some((rule) => allows(rule, group, resource)))
          roles.add(keyOf(kind, role.metadata.namespace, role.metadata.name));
      }
    }
    const accounts = new Set<string>();
    for (const kind of ['ClusterRoleBinding', 'RoleBinding']) {
      for (const binding of world.snapshot.seen(kind)) {
        const { roleRef, subjects } = binding as unknown as Binding;
        if (!roles.has(keyOf(roleRef?.kind ?? '', roleRef?.kind === 'Role' ? binding.metadata.namespace : undefined, roleRef?.name ?? ''))) continue;
        for (const subject of listOf(subjects)) {
          if (subject.kind === 'ServiceAccount') accounts.add(`${subject.namespace ?? spaceOf(binding)}/${subject.name ?? ''}`);
        }
      }
    }
    return accounts;
  });
}

const spaceOf = (object: KubeObject): string => object.metadata.namespace ?? '';
const keyOf = (kind: string, namespace: string | undefined, name: string): string => `${kind}/${kind === 'Role' ? (namespace ?? '') : ''}/${name}`;

function allows(rule: Rule, group: string, resource: string): boolean {
  const resources = listOf(rule.resources);
  return (
    listOf(rule.apiGroups).includes(group) &&
    listOf(rule.verbs).some((verb) => WRITES.has(verb)) &&
    [resource, `${resource}/finalizers`, `${resource}/status`, '*', '*/*'].some((each) => resources.includes(each))
  );
}
