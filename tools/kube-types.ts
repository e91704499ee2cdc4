/** The Kubernetes schema as CEL types, from the client library's own model metadata. For the checker, never shipped. */
import * as k8s from '@kubernetes/client-node';
import type { KubeTypes } from '../src/engine/check.ts';
import { RESOURCES } from '../src/model/resources.ts';

interface Model {
  getAttributeTypeMap(): { baseName: string; type: string }[];
}

const SCALARS: Record<string, string> = { string: 'string', number: 'double', boolean: 'bool', Date: 'string', any: 'dyn', object: 'dyn', IntOrString: 'dyn' };

export function kubeTypes(): KubeTypes {
  const models = k8s as unknown as Record<string, Model | undefined>;
  const types: KubeTypes['types'] = {};
  const kinds: KubeTypes['kinds'] = {};
  const add = (name: string): string => {
    const model = models[name];
    if (!model?.getAttributeTypeMap) return 'dyn';
    if (!types[name]) {
      const fields: Record<string, string> = {};
      types[name] = fields;
      for (const { baseName, type } of model.getAttributeTypeMap()) fields[baseName] = typeOf(type, add);
      // Reduced at the door.
      if (name === 'V1ObjectMeta') fields['writers'] = 'list<dyn>';
    }
    return name;
  };
  for (const { kind, version } of RESOURCES) {
    const name = ['', 'Core'].map((prefix) => `${prefix}${version.toUpperCase().replace(/^V(\d+)/, 'V$1')}${kind}`).find((each) => models[each]);
    if (name) kinds[kind] = add(name);
  }
  return { types, kinds };
}

function typeOf(type: string, add: (name: string) => string): string {
  const list = /^Array<(.+)>$/.exec(type)?.[1];
  if (list) return `list<${typeOf(list, add)}>`;
  const map = /^\{ \[key: string\]: (.+?);? \}$/.exec(type)?.[1];
  if (map) return `map<string, ${typeOf(map, add)}>`;
  return SCALARS[type] ?? add(type);
}
