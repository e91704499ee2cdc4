// Suffixes of resource.Quantity (apimachinery/pkg/api/resource/suffix.go).
const BINARY: Record<string, number> = { Ki: 1024, Mi: 1024 ** 2, Gi: 1024 ** 3, Ti: 1024 ** 4, Pi: 1024 ** 5, Ei: 1024 ** 6 };
const DECIMAL: Record<string, number> = { n: 1e-9, u: 1e-6, m: 1e-3, '': 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18 };

/** A Kubernetes quantity as a number in base units (cores, bytes); null where it does not parse. */
export function quantityOf(text: string | number | null | undefined): number | null {
  if (typeof text === 'number') return text;
  if (typeof text !== 'string') return null;
  const match = /^([+-]?(?:\d+\.?\d*|\.\d+))(?:([eE][+-]?\d+)|(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]?))$/.exec(text.trim());
  if (!match) return null;
  const value = Number(`${match[1]}${match[2] ?? ''}`);
  const suffix = match[3] ?? '';
  return value * (BINARY[suffix] ?? DECIMAL[suffix] ?? 1);
}

/** A number in base units as a person writes it: cpu in cores or milli-cores, bytes in Ki..Ti, counts plainly. */
export function formatQuantity(resource: string, value: number): string {
  const name = resource.replace(/^(requests|limits)\./, '');
  if (name === 'cpu') return Number.isInteger(value) ? String(value) : `${Math.round(value * 1000)}m`;
  if (!/memory|storage|hugepages/.test(name)) return String(Math.round(value * 1000) / 1000);
  for (const unit of ['Ti', 'Gi', 'Mi', 'Ki'] as const) {
    const size = BINARY[unit] ?? 1;
    if (Math.abs(value) >= size) return `${Math.round((value / size) * 10) / 10}${unit}`;
  }
  return String(Math.round(value));
}
