import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { faultsOf } from './layout.ts';

/** What a method is to do instead of its work: answer with a gRPC code and a message, or not answer at all. */
export type Fault = { code: 'INVALID_ARGUMENT' | 'RESOURCE_EXHAUSTED' | 'FAILED_PRECONDITION' | 'INTERNAL' | 'NOT_FOUND' | 'UNAVAILABLE'; message: string } | { hang: true };

/** By the method's name in csi.proto. */
export type Faults = Record<string, Fault>;

/** From the next call on, for all volumes of this pool (parameter `pool` of their StorageClass). None heals it. */
export function setFaults(pool: string, faults: Faults = {}): void {
  const file = faultsOf(pool);
  mkdirSync(dirname(file), { recursive: true });
  if (Object.keys(faults).length === 0) rmSync(file, { force: true });
  else writeFileSync(file, JSON.stringify(faults));
}

export function faultOf(pool: string, method: string): Fault | undefined {
  const file = faultsOf(pool);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Faults)[method] : undefined;
}
