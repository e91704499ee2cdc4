import { parseSelector } from '../facts/selector-text.ts';
import { UserError } from '../model/errors.ts';
import type { SourceOptions } from '../source/options.ts';

/** What the command line gives every command that reads; kubectl's own names. */
export interface Flags {
  namespace?: string[];
  allNamespaces?: boolean;
  selector?: string;
  /** Of `record` a folder. */
  output?: string | string[];
  from?: string[];
  context?: string;
  cluster?: string;
  user?: string;
  kubeconfig?: string;
  requestTimeout?: string;
  as?: string;
  asGroup?: string[];
  asUid?: string;
  token?: string;
  server?: string;
  certificateAuthority?: string;
  insecureSkipTlsVerify?: boolean;
  tlsServerName?: string;
  color?: boolean;
  verbose?: boolean;
  risks?: boolean;
  rules?: string[];
}

/** Where to read and what, in the words of `openSource`. */
export function sourceOptions(flags: Flags): SourceOptions {
  refuseBoth(flags);
  const { kubeconfig, context, cluster, user, token, server, certificateAuthority, insecureSkipTlsVerify, tlsServerName, as, asGroup, asUid } = flags;
  return {
    from: flags.from,
    stdin: process.stdin,
    kube: { kubeconfig, context, cluster, user, token, server, certificateAuthority, insecureSkipTlsVerify, tlsServerName, as, asGroup, asUid },
    namespaces: flags.namespace,
    all: flags.allNamespaces,
    selector: selectorOf(flags.selector),
    requestTimeout: milliseconds(flags.requestTimeout),
  };
}

const CONNECTION = [
  'kubeconfig',
  'context',
  'cluster',
  'user',
  'as',
  'asGroup',
  'asUid',
  'token',
  'server',
  'certificateAuthority',
  'insecureSkipTlsVerify',
  'tlsServerName',
] as const;

/** Of those the ones that choose a cluster, and that others may see, as they have to be typed: `--context staging`. A token is not told. */
export function reachOf(flags: Flags): string {
  const chosen = ['kubeconfig', 'context', 'cluster', 'user', 'server'] as const;
  return chosen.flatMap((name) => (flags[name] ? [`--${name} ${quoted(flags[name])}`] : [])).join(' ');
}

const quoted = (word: string): string => (/^[\w@%+:,./=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

// What is ignored without a word looks as if the cluster had been read.
function refuseBoth(flags: Flags): void {
  if (!flags.from?.length) return;
  const given = CONNECTION.filter((name) => flags[name] !== undefined).map((name) => `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`);
  if (given.length > 0)
    throw new UserError(
      `--from reads no cluster, and ${given.join(', ')} ${given.length === 1 ? 'says' : 'say'} how to reach one.`,
      `Leave out --from, or ${given.join(', ')}.`,
    );
}

/** A label selector that says what it means. */
export function selectorOf(text: string | undefined): string | undefined {
  if (text !== undefined && !parseSelector(text)) throw new UserError(`"${text}" is no label selector.`, 'Write it like app=web,tier!=cache.');
  return text;
}

const UNITS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** A duration as kubectl takes it: `30s`, `1m30s`, `500ms`; a bare number is seconds, 0 is no limit. */
export function milliseconds(text: string | undefined, flag = '--request-timeout'): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) {
    throw new UserError(`"${text}" is not a duration (${flag}).`, 'Write it like 30s, 1m30s or 500ms; a bare number is seconds.');
  }
  return parts.reduce((sum, [, count, unit = 's']) => sum + Number(count) * (UNITS[unit] ?? 0), 0);
}
