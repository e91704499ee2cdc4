import type { KubeObject } from '../../model/kinds.ts';
import type { Text } from '../../model/text.ts';

/** A field of a pod that is not as the template has it: admission changed it after the controller wrote it. */
export interface Mutation {
  /** `spec.containers[0].image`. */
  field: string;
  /** What validation has against it. */
  complaint: string;
  /** A limit that was filled in where the template sets none, and the request that is larger. */
  filled?: { resource: string; limit: string; request: string };
}

const COMPLAINT =
  /\b(spec\.[A-Za-z][\w.[\]/-]*): ((Required value|Invalid value|Unsupported value|Not found|Duplicate value)(?:: (?:"((?:[^"\\]|\\.)*)"|([\w.-]+)))?[^\n]{0,200}?)(?=, (?:spec|metadata)\.|\]?$)/g;

/**
 * A pod template is validated as a pod is when its workload is stored (ValidatePodTemplateSpec, pkg/apis/core/validation), and controllers
 * copy it. So a pod that is refused for a value that its template does not have was changed in between, where mutating webhooks are asked.
 * Only values that can be compared decide: null is no proof that nothing was changed.
 */
export function mutationOf(text: Text, object: KubeObject): Mutation | null {
  if (text.class !== 'invalid' || text.captures['kind'] !== 'Pod') return null;
  const template = (object['spec'] as { template?: { spec?: unknown } } | undefined)?.template?.spec;
  if (template === undefined) return null;
  for (const [, field = '', complaint = '', verdict, quoted, bare] of text.message.matchAll(COMPLAINT)) {
    const filled = filledIn(template, field, complaint);
    if (filled) return { field: `${field.replace(/\.requests$/, '.limits')}.${filled.resource}`, complaint, filled };
    if (isChanged(template, stepsOf(field), verdict === 'Required value' ? '' : (quoted ?? bare), TWICE.test(complaint))) return { field, complaint };
  }
  return null;
}

/** `spec.containers[0].image` below the spec: `containers`, `0`, `image`. */
const stepsOf = (field: string): string[] =>
  field
    .split(/[.[\]]+/)
    .filter((step) => step !== '')
    .slice(1);

/** `must be less than or equal to cpu limit of 100m` (ValidateResourceRequirements), of a container whose template has no such limit. */
function filledIn(template: unknown, field: string, complaint: string): Mutation['filled'] {
  const [, list = '', index = ''] = /^spec\.(containers|initContainers)\[(\d+)\]\.resources\.requests$/.exec(field) ?? [];
  const [, request = '', resource = '', limit = ''] = /: "([^"]+)": must be less than or equal to (\S+) limit of ([\w.]+)/.exec(complaint) ?? [];
  const resources = (template as Record<string, readonly Container[] | undefined>)[list]?.[Number(index)]?.resources;
  return resource && resources?.requests?.[resource] !== undefined && resources.limits?.[resource] === undefined ? { resource, limit, request } : undefined;
}

interface Container {
  resources?: { requests?: Record<string, unknown>; limits?: Record<string, unknown> };
}

// Controllers and built-in admission add volumes, mounts, tolerations and variables, and no containers.
const CONTAINERS = ['containers', 'initContainers'];

// To a container built-in admission adds the mount of a token alone, and only where none is at its path (plugin/pkg/admission/serviceaccount).
const TWICE = /^Duplicate value|must be unique/;

/** `complained` is undefined where the text does not quote a plain value; `twice` where a part has the name or place of another. */
function isChanged(template: unknown, steps: readonly string[], complained: string | undefined, twice: boolean): boolean {
  let at: unknown = template;
  for (const [index, step] of steps.entries()) {
    if (at === null || typeof at !== 'object') return false;
    const list = at;
    at = (at as Record<string, unknown>)[step];
    if (at === undefined) return (twice && CONTAINERS.includes(steps[0] ?? '')) || (Array.isArray(list) && CONTAINERS.includes(steps[index - 1] ?? ''));
  }
  if (complained === undefined || !['string', 'number', 'boolean'].includes(typeof at)) return false;
  return String(at) !== complained;
}
