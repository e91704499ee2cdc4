import type { Service } from '../model/kinds.ts';
import { maybe } from '../model/read.ts';
import type { World } from './world.ts';

const NAME = '[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?';
const FULL = new RegExp(String.raw`(?<![\w.-])(${NAME})\.(${NAME})\.svc\b`, 'g');
const PORT = new RegExp(String.raw`(?<![\w.:/-])(${NAME}):\d{2,5}\b|://(${NAME})(?=[:/"\s]|$)|\bhost "(${NAME})"`, 'g');
const ADDRESS = /(?<![\w.])((?:\d{1,3}\.){3}\d{1,3})(?=:\d)/g;
const LENGTH = 2000;

/**
 * Services that a process names in its last words as what it wanted to reach: `pg.shop.svc`, `pg:5432`, or the address of one.
 * Only those that were read; a host of another name is none.
 */
export function servicesAsked(world: World, namespace: string, words: string): Service[] {
  const text = words.slice(0, LENGTH);
  const named = [
    ...[...text.matchAll(FULL)].map(([, name = '', ns = '']) => ({ name, ns })),
    ...[...text.matchAll(PORT)].map(([, ...names]) => ({ name: names.find(Boolean) ?? '', ns: namespace })),
  ];
  const found = named.map(({ name, ns }) => maybe(world.snapshot.get('Service', ns, name))).filter((service) => service !== null);
  const addresses = new Set([...text.matchAll(ADDRESS)].map(([, address]) => address));
  const held = addresses.size === 0 ? [] : world.snapshot.seen('Service').filter((service) => addresses.has(service.spec?.clusterIP));
  return [...new Set([...found, ...held])];
}
