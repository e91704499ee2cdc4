/** Kubernetes puts this before a runtime.Unknown (apimachinery, runtime/serializer/protobuf/protobuf.go). */
const MAGIC = Buffer.from('k8s\0', 'latin1');

export const isProtobuf = (body: Buffer): boolean => body.subarray(0, 4).equals(MAGIC);

type Message = ReadonlyMap<number, Buffer>;

/**
 * The spec of an access review as kubectl sends it: of built-in types it writes protobuf. Field numbers from
 * k8s.io/api/authorization/v1/generated.proto. Null where the bytes are no such message.
 */
export function reviewIn(body: Buffer, rules: boolean): { spec: object } | null {
  const raw = messageIn(body.subarray(4))?.get(2);
  const spec = raw && messageIn(messageIn(raw)?.get(2));
  if (!spec) return null;
  const texts = (message: Message | null, names: Readonly<Record<number, string>>): Record<string, string> =>
    Object.fromEntries(
      Object.entries(names).flatMap(([number, name]) => {
        const value = message?.get(Number(number));
        return value === undefined ? [] : [[name, value.toString('utf8')]];
      }),
    );
  if (rules) return { spec: texts(spec, { 1: 'namespace' }) };
  const resource = spec.get(1);
  const other = spec.get(2);
  return {
    spec: {
      ...(resource
        ? {
            resourceAttributes: texts(messageIn(resource), { 1: 'namespace', 2: 'verb', 3: 'group', 4: 'version', 5: 'resource', 6: 'subresource', 7: 'name' }),
          }
        : {}),
      ...(other ? { nonResourceAttributes: texts(messageIn(other), { 1: 'path', 2: 'verb' }) } : {}),
    },
  };
}

/** Length-delimited fields by number, the last one of each; null where it is no protobuf. Numbers are passed over. */
function messageIn(bytes: Buffer | undefined): Message | null {
  if (bytes === undefined) return null;
  const fields = new Map<number, Buffer>();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; shift < 35 && at < bytes.length; shift += 7) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    return NaN;
  };
  while (at < bytes.length) {
    const tag = varint();
    const size = tag % 8 === 2 ? varint() : tag % 8 === 0 ? (varint(), -1) : NaN;
    if (Number.isNaN(tag) || Number.isNaN(size) || at + Math.max(0, size) > bytes.length) return null;
    if (size < 0) continue;
    fields.set(Math.floor(tag / 8), bytes.subarray(at, at + size));
    at += size;
  }
  return fields;
}
