import type { KubeObject, Writer } from '../../model/kinds.ts';
import { listOf } from '../lists.ts';

/** `metadata.writers` with every entry whole, whatever a damaged recording left of it. */
export function writersOf(object: Pick<KubeObject, 'metadata'> | null | undefined): Writer[] {
  return listOf(object?.metadata.writers)
    .filter((writer) => typeof writer === 'object')
    .map((writer) => ({
      ...writer,
      manager: String(writer.manager ?? ''),
      operation: String(writer.operation ?? ''),
      paths: listOf(writer.paths).filter((path) => typeof path === 'string'),
    }));
}
