/** The reviews of an API server whose user has these rules; everything else is left to the double. */
import type { DoubleOptions } from './api-double.ts';
import { reply, status } from './api-double.ts';

export interface Right {
  verbs: string[];
  apiGroups: string[];
  resources: string[];
  resourceNames?: string[];
}

export interface Rights {
  /** By namespace, from Roles and from ClusterRoles bound there. */
  local: Record<string, Right[]>;
  /** Bound over the whole cluster. */
  cluster: Right[];
  /** The authorizer cannot list all it knows (webhook, node). */
  incomplete?: boolean;
  user?: string;
  /** What is asked, in order: method, path, and the body of a review. */
  heard: { path: string; body: unknown }[];
}

interface Attributes {
  verb: string;
  group: string;
  resource: string;
  namespace?: string;
  name?: string;
}

const fits = (list: readonly string[], value: string): boolean => list.includes('*') || list.includes(value);
const allows = (rights: readonly Right[], { verb, group, resource, name }: Attributes): boolean =>
  rights.some(
    (right) =>
      fits(right.verbs, verb) &&
      fits(right.apiGroups, group) &&
      fits(right.resources, resource) &&
      (!right.resourceNames || (name !== undefined && right.resourceNames.includes(name))),
  );

export function reviewing(rights: Rights): Pick<DoubleOptions, 'intercept'> {
  return {
    intercept(url, response, request) {
      if (request.method !== 'POST') return false;
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = JSON.parse(Buffer.concat(chunks).toString()) as { spec?: { namespace?: string; resourceAttributes?: Attributes } };
        rights.heard.push({ path: url.pathname, body });
        if (url.pathname.endsWith('/selfsubjectreviews'))
          return rights.user
            ? reply(response, 201, { status: { userInfo: { username: rights.user } } })
            : reply(response, 404, status(404, 'NotFound', 'the server could not find the requested resource'));
        if (url.pathname.endsWith('/selfsubjectrulesreviews'))
          return reply(response, 201, {
            status: {
              resourceRules: [...(rights.local[body.spec?.namespace ?? ''] ?? []), ...rights.cluster],
              nonResourceRules: [],
              incomplete: rights.incomplete ?? false,
            },
          });
        const asked = body.spec?.resourceAttributes;
        if (!asked) return reply(response, 400, status(400, 'BadRequest', 'no attributes'));
        const allowed = allows(rights.cluster, asked) || (asked.namespace !== undefined && allows(rights.local[asked.namespace] ?? [], asked));
        return reply(response, 201, { status: { allowed, ...(allowed ? {} : { reason: 'no rule allows it' }) } });
      });
      return true;
    },
  };
}
