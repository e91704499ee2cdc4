/** Fields computed on first use. */
type Makers<T> = { [K in keyof T]: () => T[K] };

/**
 * A plain object whose fields are computed on first read and then kept.
 * Own enumerable getters, because the CEL engine looks only at own keys; a field that raises Unknown raises again.
 */
export function lazy<T extends object>(makers: Makers<T>): T {
  const target = {} as T;
  for (const key of Object.keys(makers) as (keyof T & string)[]) {
    Object.defineProperty(target, key, {
      enumerable: true,
      configurable: true,
      get() {
        const value = makers[key]();
        Object.defineProperty(target, key, { value, enumerable: true });
        return value;
      },
    });
  }
  return target;
}
