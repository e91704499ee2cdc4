interface Named {
  kind: string;
  namespace?: string | undefined;
  name: string;
}

/** An object or what names one; `kind` is whatever the caller has of it, a plain kind or a kindKey. */
type Identified = Named | { kind: string; metadata: Omit<Named, 'kind'> };

/** What tells one object from another where not every one has a uid: kind, namespace and name. */
export function identityOf(of: Identified): string {
  const { namespace, name } = 'metadata' in of ? of.metadata : of;
  return `${of.kind}/${namespace ?? ''}/${name}`;
}
