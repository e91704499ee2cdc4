/** Names of variables, fields, headers and flags whose values are secrets. */

// As a part of a name; `key` and `pass` alone only as whole words, so that `keyspace`, `monkey` and `compass` stay.
const SECRET =
  /passw|passphrase|pwd|secret|token|credential|apikey|api[-_.]?key|user[-_.]?key|access[-_.]?key|private[-_.]?key|(?:^|[-_.])key$|auth(?!or)|authorization$|bearer|cookie|session|salt|dsn|signature|licen[cs]e|connection[-_.]?string|(?:^|[-_.])(?:pass|pw|creds?|jwt)(?:$|[-_.])/i;
// The same words inside a camelCase name.
const SECRET_CAMEL = /[a-z0-9](?:Key|Pass|Pwd|Creds?|Jwt)$/;
// `PGPASS`, `dbpass`, `requirepass`; not `compass`, `bypass`.
const GLUED = /(?<!com|by|tres|sur|over|under|multi|im)pass$/i;
// Names that only point at a secret, or say where or how; and keys that are no keys of a lock.
const HARMLESS =
  /(?:name|ref|path|file|dir|url|uri|enabled|type|mode|method|ttl|duration|timeout|expiry|expiration|seconds|count|size|length|namespace|issuer|audience|endpoint|host|port|mount|version|algorithm|affinity|policy|webhook|class|scopes?|api[-_]?group)$|(?:topology|label|public|partition|sort|primary|foreign|cache|object|group|index|field|annotation|match|shard|row|idempotency)[-_.]?key$/i;
// In sentences, where a name such as `auth` or `session` is mostly a word.
const SAID = /passw(?:or)?d|passphrase|pwd|secret|token|api[-_]?key|access[-_]?key|private[-_]?key/i;
const ANNOTATION = /(?:passw(?:or)?d|passphrase|token|secret|credentials?|api[-_]?key|access[-_]?key|private[-_]?key)$/i;

const known = new Map<string, boolean>();

/** `DB_PASSWORD`, `clientSecret`, `Authorization`; not `passwordFile`, `secretName`, `topologyKey`. */
export function isSecretName(name: string): boolean {
  let secret = known.get(name);
  if (secret === undefined) {
    secret = (SECRET.test(name) || SECRET_CAMEL.test(name) || GLUED.test(name)) && !HARMLESS.test(name);
    if (known.size < 10_000) known.set(name, secret);
  }
  return secret;
}

export const isSaidName = (name: string): boolean => (SAID.test(name) || GLUED.test(name)) && !HARMLESS.test(name);
export const isSecretAnnotation = (key: string): boolean => ANNOTATION.test(key);

/** Whole manifests that deployers keep beside the object, some of them packed, Secrets' values included. */
export const isManifestAnnotation = (key: string): boolean => /last-applied|(?:^|[./-])(?:original|applied)(?:-configuration)?$/.test(key);

/** `$(KEY)`, `${KEY}`, `$KEY`, `$1`: filled in later. Not `$2y$10$...`, which is a hash, nor a password that begins with the sign. */
export const isReference = (value: string): boolean => /^\$(?:[({]|[A-Za-z_]\w*(?:["'/:.,)]|$)|\d?$)/.test(value);

/** What stands in a secret's place and is none: a reference that is filled in later, a switch, a duration, a path, a word such as `None`. */
export const isHarmlessValue = (value: string): boolean =>
  isReference(value) ||
  /^(?:@|(?:true|false|none|null|nil|yes|no|on|off|enabled?|disabled?|always|never|required|optional|basic|bearer|\d{1,3}[smhd]?)$)/i.test(value) ||
  /^\/(?:var|etc|run|mnt|opt|tmp|home|root|usr|data|secrets?|config|app|vault)\//.test(value);
