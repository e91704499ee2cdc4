import { createHmac, randomBytes } from 'node:crypto';
import type { KubeObject } from '../model/kinds.ts';

/**
 * Values that look like secrets become markers at the door, so that the live report, the recording and its report say the same.
 * Equal values give equal markers within one reading; the key is thrown away with the process.
 */
export interface Redactor {
  object(object: KubeObject): void;
  /** Values replaced so far. */
  count(): number;
}

type Fields = Record<string, unknown>;

// As a part of a name; `key` alone only as a whole word, so that `keyspace` and `monkey` stay.
const SECRET_NAME = /passw|passphrase|pwd|secret|token|credential|apikey|api[-_.]key|access[-_.]?key|private[-_.]?key|(?:^|[-_.])key$|auth(?!or)|bearer|cookie|session|salt|dsn|signature|licen[cs]e|connection[-_.]?string|(?:^|[-_.])(?:pass|pw|creds?|jwt)(?:$|[-_.])/i;
// Names that only point at a secret, or say where or how.
const HARMLESS_NAME = /(?:name|ref|path|file|dir|url|uri|enabled|type|mode|ttl|duration|timeout|expiry|expiration|count|size|namespace|issuer|audience|endpoint|host|port|mount|version|algorithm)$/i;
// Values that say by themselves what they are: credentials in a URL, JWT, PEM, well-known prefixes.
const SECRET_VALUE = /:\/\/[^/\s:@]*:[^/\s@]+@|\beyJ[\w-]{8,}\.eyJ[\w-]{8,}|-----BEGIN [A-Z ]*PRIVATE KEY|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bgh[pousr]_\w{20,}|\bglpat-[\w-]{16,}|\bxox[abpors]-[\w-]{10,}|\b[sr]k_(?:live|test)_\w{10,}|\bAIza[\w-]{30,}/;
const IN_URL = /(:\/\/[^/\s:@]*:)([^/\s@]+)(@)(?!sha256:)/g;
const ASSIGNED = /((?:--?|\b)[\w.-]*(?:passw(?:or)?d|passphrase|pwd|secret|token|credentials?|api[-_]?key|access[-_]?key|private[-_]?key)[\w.-]*)(\s*[=:]\s*|\s+)("[^"]*"|'[^']*'|[^\s"';|&)]+)/gi;
const SAID = /\b([\w.-]*(?:passw(?:or)?d|passphrase|pwd|secret|token|api[-_]?key|access[-_]?key)=)("[^"]*"|'[^']*'|[^\s"';|&),]+)/gi;
const SECRET_ANNOTATION = /(?:passw(?:or)?d|passphrase|token|api[-_]?key|access[-_]?key|private[-_]?key)$/i;
const FLAG_ALONE = /^--?[\w.-]*(?:passw(?:or)?d|passphrase|pwd|secret|token|credentials?|api[-_]?key|access[-_]?key|private[-_]?key)[\w.-]*$/i;
const MARKER = /^<redacted [0-9a-f]{12} \d+>$/;
const HOLDS_MARKER = /<redacted [0-9a-f]{12} \d+>/;

const names = new Map<string, boolean>();

function isSecretName(name: string): boolean {
  let secret = names.get(name);
  if (secret === undefined) {
    secret = SECRET_NAME.test(name) && !HARMLESS_NAME.test(name);
    if (names.size < 10_000) names.set(name, secret);
  }
  return secret;
}

export function createRedactor(key: Buffer | string = randomBytes(32)): Redactor {
  let replaced = 0;

  const mark = (value: string): string => {
    if (value === '' || MARKER.test(value)) return value;
    replaced++;
    return `<redacted ${createHmac('sha256', key).update(value).digest('hex').slice(0, 12)} ${value.length}>`;
  };

  // $(VAR) is a reference that the kubelet fills in, not a value.
  const markText = (text: string): string => {
    if (HOLDS_MARKER.test(text)) return text;
    if (/-----BEGIN|eyJ/.test(text) && SECRET_VALUE.test(text)) return mark(text);
    return text
      .replace(IN_URL, (whole, before: string, value: string, after: string) => (value.startsWith('$') ? whole : `${before}${mark(value)}${after}`))
      .replace(ASSIGNED, (whole, name: string, sign: string, value: string) =>
        /^["']?(?:\$|-|(?:true|false)["']?$)/.test(value) || HARMLESS_NAME.test(name) || (!/[=:]/.test(sign) && !name.startsWith('-')) ? whole : `${name}${sign}${mark(value)}`);
  };

  // What programs and people wrote. Rules read it too, so only what stands between `://` and `@`, or behind `=`, is taken out.
  const said = (fields: Fields, key: string): void => {
    const text = fields[key];
    if (typeof text !== 'string' || !/[=@]/.test(text) || HOLDS_MARKER.test(text)) return;
    fields[key] = text
      .replace(IN_URL, (whole, before: string, value: string, after: string) => (value.startsWith('$') ? whole : `${before}${mark(value)}${after}`))
      .replace(SAID, (_, name: string, value: string) => `${name}${mark(value)}`);
  };

  const messages = (object: KubeObject): void => {
    const annotations: unknown = object.metadata.annotations;
    if (isFields(annotations)) {
      for (const [key, value] of Object.entries(annotations)) {
        if (typeof value === 'string' && SECRET_ANNOTATION.test(key)) annotations[key] = mark(value);
        else said(annotations, key);
      }
    }
    if (object.kind === 'Event') said(object, 'message'), said(object, 'note');
    const status: unknown = object['status'];
    if (!isFields(status)) return;
    said(status, 'message');
    for (const list of [status['conditions'], status['containerStatuses'], status['initContainerStatuses'], status['ephemeralContainerStatuses']]) {
      if (!Array.isArray(list)) continue;
      for (const entry of list) {
        if (!isFields(entry)) continue;
        said(entry, 'message');
        for (const state of [entry['state'], entry['lastState']]) if (isFields(state)) for (const held of Object.values(state)) if (isFields(held)) said(held, 'message');
      }
    }
  };

  const words = (list: unknown): void => {
    if (!Array.isArray(list)) return;
    for (let i = 0; i < list.length; i++) {
      const word: unknown = list[i];
      if (typeof word !== 'string') continue;
      const before: unknown = list[i - 1];
      if (typeof before === 'string' && FLAG_ALONE.test(before) && !HARMLESS_NAME.test(before) && !word.startsWith('-') && !word.startsWith('$')) list[i] = mark(word);
      else list[i] = markText(word);
    }
  };

  const env = (list: unknown): void => {
    if (!Array.isArray(list)) return;
    for (const entry of list as Fields[]) {
      const value = entry['value'];
      if (typeof value !== 'string' || value === '') continue;
      if (isSecretName(String(entry['name'] ?? ''))) entry['value'] = /^\$\([\w.-]+\)$/.test(value) ? value : mark(value);
      else if (SECRET_VALUE.test(value)) entry['value'] = markText(value) === value ? mark(value) : markText(value);
    }
  };

  const containers = (list: unknown): void => {
    if (!Array.isArray(list)) return;
    for (const entry of list as Fields[]) {
      if (!isFields(entry)) continue;
      if (entry['env']) env(entry['env']);
      words(entry['command']);
      words(entry['args']);
      for (const probe of ['livenessProbe', 'readinessProbe', 'startupProbe']) handler(entry[probe]);
      const lifecycle = entry['lifecycle'];
      if (isFields(lifecycle)) for (const hook of ['preStop', 'postStart']) handler(lifecycle[hook]);
    }
  };

  const handler = (at: unknown): void => {
    if (!isFields(at)) return;
    if (isFields(at['exec'])) words(at['exec']['command']);
    const headers = isFields(at['httpGet']) ? at['httpGet']['httpHeaders'] : null;
    if (Array.isArray(headers)) env(headers);
  };

  const podSpec = (spec: unknown): void => {
    if (!isFields(spec)) return;
    containers(spec['containers']);
    containers(spec['initContainers']);
    containers(spec['ephemeralContainers']);
  };

  // A custom resource may hold a pod template or a password anywhere.
  const anywhere = (value: unknown, depth: number): void => {
    if (depth > 60 || value === null || typeof value !== 'object') return;
    if (Array.isArray(value)) {
      for (const item of value) anywhere(item, depth + 1);
      return;
    }
    const fields = value as Fields;
    for (const key of Object.keys(fields)) {
      const held = fields[key];
      if (typeof held === 'string') {
        if (isSecretName(key) || SECRET_VALUE.test(held)) fields[key] = mark(held);
      } else if (key === 'containers' || key === 'initContainers') containers(held);
      else if (key === 'env') env(held);
      else anywhere(held, depth + 1);
    }
  };

  return {
    count: () => replaced,
    object(object) {
      messages(object);
      switch (object.kind) {
        case 'Secret':
        case 'ConfigMap':
          return emptyValues(object);
        case 'Pod':
          return podSpec(object['spec']);
        case 'Deployment': case 'ReplicaSet': case 'StatefulSet': case 'DaemonSet': case 'Job': case 'ReplicationController':
          return podSpec(at(object, 'spec', 'template', 'spec'));
        case 'CronJob':
          return podSpec(at(object, 'spec', 'jobTemplate', 'spec', 'template', 'spec'));
        case 'PodTemplate':
          return podSpec(at(object, 'template', 'spec'));
        default:
          if (object.apiVersion.includes('.') && !/\.k8s\.io\//.test(object.apiVersion)) return anywhere(object['spec'], 0);
          if (object.kind === 'ControllerRevision') return anywhere(object['data'], 0);
      }
    },
  };
}

/** Keeps the names of the keys, which rules may need, and no value. */
export function emptyValues(object: KubeObject): void {
  for (const field of ['data', 'stringData', 'binaryData']) {
    const values = object[field];
    if (isFields(values)) for (const key of Object.keys(values)) values[key] = '';
    else if (field in object) delete object[field];
  }
}

function at(value: unknown, ...keys: string[]): unknown {
  for (const key of keys) value = isFields(value) ? value[key] : undefined;
  return value;
}

const isFields = (value: unknown): value is Fields => value !== null && typeof value === 'object' && !Array.isArray(value);
