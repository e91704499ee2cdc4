import { gatewayFacts } from '../facts/network/ingress-gateway.ts';
import { type Backend, ingressFacts } from '../facts/network/ingress.ts';
import { listOf } from '../facts/lists.ts';
import { cut, plural } from '../facts/words.ts';
import type { World } from '../facts/world.ts';
import type { Ingress, KubeObject } from '../model/kinds.ts';
import { type Standing, standing, told } from './standing.ts';

/** An Ingress is at its goal when what it names is there and answers; an address is not asked for, as not every controller publishes one. */
export function ingressStanding(world: World, ingress: Ingress): Standing {
  const facts = ingressFacts(world, ingress);
  if (told(() => facts.classAbsent).value === true) return standing('moving', `names class ${facts.className}, which does not exist`);
  const said = told(() => facts.said).value;
  if (said) return standing('moving', `its controller fails: ${cut(said.message, 120)}`);
  const behind = backendsStanding(facts.backends, () => facts.broken);
  if (behind) return behind;
  const secret = facts.certificates.find((each) => told(() => each.absent).value === true);
  if (secret) return standing('moving', `names Secret ${secret.secret}, which does not exist`);
  const remarks = facts.address ? [] : ['no controller has published an address'];
  return standing('done', facts.backends.length > 0 ? `${plural(facts.backends.length, 'route')}, ready behind each` : 'exists', { remarks });
}

/** A Gateway or a route is at its goal when its controllers accept it, of its present generation, and what it names answers. */
export function gatewayStanding(world: World, object: KubeObject): Standing {
  const facts = gatewayFacts(world, object);
  if (told(() => facts.classAbsent).value === true) return standing('moving', `names class ${facts.className}, which does not exist`);
  const [orphan] = facts.orphaned;
  if (orphan !== undefined) return standing('moving', `hangs on Gateway ${orphan}, which does not exist`);
  if (facts.silent) return standing('moving', 'no controller has judged it yet');
  if (isOutdated(object)) return standing('moving', 'its conditions are of an older generation');
  const [bad] = facts.failing;
  if (bad) return standing('moving', `${bad.type}=${bad.status}${bad.reason ? ` (${bad.reason})` : ''}`);
  return backendsStanding(facts.backends, () => facts.broken) ?? standing('done', 'accepted');
}

/** What is wrong with where it leads; null where nothing is. */
function backendsStanding(backends: readonly Backend[], broken: () => readonly Backend[]): Standing | null {
  const lost = told(broken);
  if (lost.value === null) return standing('unknown', 'the Services it leads to could not be read', { gap: lost.gap });
  const [first] = lost.value;
  if (first)
    return standing('moving', `${first.route} leads to Service ${first.service}, which ${first.absent ? 'does not exist' : `has no port ${first.port}`}`);
  for (const { route, service, backend } of backends) {
    if (!backend || backend.external || backend.selector === '') continue;
    const ready = told(() => backend.ready);
    if (ready.value === null) return standing('unknown', `the endpoints of Service ${service} could not be read`, { gap: ready.gap });
    if (ready.value === 0 && told(() => backend.idle).value !== true)
      return standing('moving', `${route} leads to Service ${service}, which has no ready endpoint`);
  }
  return null;
}

function isOutdated({ metadata, status }: KubeObject): boolean {
  const { conditions, parents } = (status ?? {}) as { conditions?: Seen[]; parents?: { conditions?: Seen[] }[] };
  return [...listOf(conditions), ...listOf(parents).flatMap((parent) => listOf(parent.conditions))].some(
    ({ observedGeneration }) => (observedGeneration ?? Infinity) < (metadata.generation ?? 0),
  );
}

interface Seen {
  observedGeneration?: number;
}
