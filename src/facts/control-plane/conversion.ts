import type { CustomResourceDefinition, KubeObject } from '../../model/kinds.ts';
import type { Text } from '../../model/text.ts';
import { type Addressed, conditionOf, evidenceAt, pointerTo } from '../address.ts';
import type { World } from '../world.ts';

/** A call of a conversion webhook that failed, where somebody quotes it. */
export interface Unconverted extends Addressed {
  text: Text;
  /** What the webhook or the way to it said, without the address that was called. */
  detail: string;
  /** Who met it: `the list of entries`, `the deletion of Namespace shop`. */
  met: string;
  /** RFC 3339; '' where it is not told. */
  since: string;
}

interface Quoted extends Omit<Unconverted, 'text' | 'detail'> {
  message: string;
}

/** `conversion webhook for GROUP/VERSION, Kind=KIND failed: ...` (apiextensions-apiserver, conversion/webhook_converter.go). */
const QUOTE = /conversion webhook for ([^/,\s]+)\/[^,\s]+, Kind=(\w+?)(?:List)? failed: .+/s;

/**
 * The first failed conversion of a kind among what the API server answered to this reading and what the namespace controller
 * wrote down. Null where none was met, which proves nothing: objects that nobody reads in another version are not converted.
 */
export function unconvertedOf(world: World, crd: CustomResourceDefinition): Unconverted | null {
  const met = world.memo(world.snapshot, 'index:conversions', () => quotes(world));
  const kind = `${crd.spec?.group ?? ''} ${crd.spec?.names?.kind ?? ''}`;
  const found = met.get(kind);
  if (!found) return null;
  const { message, ...rest } = found;
  const text = world.classify('api-refusals', message);
  return {
    ...rest,
    text,
    detail: (text.captures['detail'] ?? text.inner).replace(/^(?:Post|Get) "?\S+?"?: /, '').replace(/^tls: failed to verify certificate: x509: /, ''),
  };
}

function quotes(world: World): Map<string, Quoted> {
  const found = new Map<string, Quoted>();
  for (const quoted of [...answers(world), ...deletions(world)]) {
    const [whole, group, kind] = QUOTE.exec(quoted.message) ?? [];
    const key = `${group} ${kind}`;
    if (whole !== undefined && !found.has(key)) found.set(key, { ...quoted, message: whole });
  }
  return found;
}

function answers(world: World): Quoted[] {
  const { server } = world.snapshot;
  return server.failures.map(({ path, message, at }, index) => {
    const met = `the list of ${/\/([a-z0-9-]+)$/.exec(path)?.[1] ?? path}`;
    // When it was asked is no beginning.
    return {
      message,
      met,
      since: '',
      evidence: evidenceAt(server as unknown as KubeObject, pointerTo('failures', index), `GET ${path}: ${message}`, at ?? null),
    };
  });
}

function deletions(world: World): Quoted[] {
  return world.snapshot.seen('Namespace').flatMap((space) => {
    const failed = conditionOf(space, 'NamespaceDeletionContentFailure');
    if (failed?.status !== 'True') return [];
    return [{ message: failed.message, met: `the deletion of Namespace ${space.metadata.name}`, since: failed.since, evidence: failed.evidence }];
  });
}
