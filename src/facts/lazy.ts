/** Fields computed on first use. */
type Makers<T> = { [K in keyof T]: () => T[K] };

interface Target {
  makers: Record<string, () => unknown>;
  values: Record<string, unknown>;
}

const THERE: PropertyDescriptor = { value: undefined, writable: true, enumerable: true, configurable: true };

const HANDLER: ProxyHandler<Target> = {
  get(target, key) {
    if (typeof key !== 'string' || !Object.hasOwn(target.makers, key)) return Reflect.get(Object.prototype, key);
    if (Object.hasOwn(target.values, key)) return target.values[key];
    return (target.values[key] = target.makers[key]?.());
  },
  has: (target, key) => Object.hasOwn(target.makers, key),
  ownKeys: (target) => Object.keys(target.makers),
  // Asking whether a field exists must not compute it; its value is read by `get` (spread, JSON and the CEL engine do so).
  getOwnPropertyDescriptor: (target, key) => (Object.hasOwn(target.makers, key) ? THERE : undefined),
  set: () => false,
  deleteProperty: () => false,
  defineProperty: () => false,
};

/**
 * A record whose fields are computed on first read and then kept; a field that raises Unknown raises again.
 * To everybody else it is a plain object: own enumerable keys (the CEL engine looks at no others), spread, JSON.
 * A proxy, because a getter defined for each field of each object costs 0.1 ms a pod, and most fields are never read.
 */
export function lazy<T extends object>(makers: Makers<T>): T {
  return new Proxy<Target>({ makers: makers as Target['makers'], values: {} }, HANDLER) as unknown as T;
}
