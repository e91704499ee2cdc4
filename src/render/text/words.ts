import { ageOf, duration, timeOf } from '../../facts/time.ts';
import type { Effect, Subject } from '../../model/finding.ts';
import type { Gap } from '../../model/read.ts';
import { resourceOfKind } from '../../model/resources.ts';
import { visible } from '../escape.ts';
import { GLUE } from '../wrap.ts';
import type { Look } from './look.ts';
import { plural, pluralOf } from '../../facts/words.ts';

/** What an effect may say of itself before it is cut: it is told in full where it is judged. */
const SAID = 100;

/** The first `most` of them and how many are left. */
export function some(words: readonly string[], most: number): string {
  if (words.length <= most + 1) return words.join(', ');
  return `${words.slice(0, most).join(', ')} and ${words.length - most} more`;
}

/** A time of the day the report was read; the date too where it is another day, or where `dated`. */
export function clock(look: Look, time: string, dated = false): string {
  const ms = timeOf(time);
  if (ms === null) return visible(time);
  const text = new Date(ms).toISOString();
  const sameDay = text.slice(0, 10) === look.report.capturedAt.slice(0, 10);
  const hours = `${text.slice(11, 19)}Z`;
  return sameDay && !dated ? hours : `${text.slice(0, 10)}${GLUE}${hours}`;
}

/** `13:08:12Z (12m)`: an anchor and an age. */
export function since(look: Look, time: string): string {
  const age = ageOf(Date.parse(look.report.capturedAt), time);
  return age === null ? clock(look, time) : `${clock(look, time)}${GLUE}(${duration(age)})`;
}

/** `Pod/kube-system/calico-node-x`; the namespace left out where it is the one in question. */
export function address(look: Look, { kind, namespace, name }: Pick<Subject, 'kind' | 'namespace' | 'name'>): string {
  if (kind === 'APIServer') return `API${GLUE}server${GLUE}${visible(name)}`;
  const place = namespace && namespace !== look.home ? `${namespace}/` : '';
  return visible(kind === '' ? `${place}${name}` : name === '' ? kind : `${kind}/${place}${name}`);
}

/** The name alone, under a heading that says the kind. */
export function shortName(look: Look, { namespace, name }: Pick<Subject, 'namespace' | 'name'>): string {
  return visible(namespace && namespace !== look.home ? `${namespace}/${name}` : name);
}

/** `14 Pods of Deployment/web (0/14 ready): a, b, c and 11 more`, `Deployment/web, Service/web`; `owner` where one stands above all. */
export function subjectsInWords(look: Look, subjects: readonly Subject[], owner = ''): string {
  const first = subjects[0];
  if (!first) return '';
  const most = look.verbose ? subjects.length : 3;
  const below = owner === '' ? '' : ` of ${owner}`;
  if (subjects.length === 1) return address(look, first) + below;
  const oneKind = subjects.every(({ kind }) => kind === first.kind);
  if (!oneKind)
    return (
      some(
        subjects.map((subject) => address(look, subject)),
        most,
      ) + below
    );
  const names = subjects.map((subject) => shortName(look, subject));
  return `${plural(subjects.length, visible(first.kind))}${below}: ${some(names, most)}`;
}

/** `Deployment/web 1 of 3 ready; Service/web no endpoints`; many of one kind as a count by namespace. */
export function effectsInWords(look: Look, effects: readonly Effect[]): string {
  const groups = new Map<string, Effect[]>();
  for (const effect of effects) {
    const key = `${effect.kind}\0${effect.says}`;
    const group = groups.get(key);
    if (group) group.push(effect);
    else groups.set(key, [effect]);
  }
  const parts = [...groups.values()].map((group) => groupInWords(look, group));
  const most = look.verbose ? parts.length : 6;
  const rest = parts.length - most;
  return rest > 1 ? `${parts.slice(0, most).join('; ')}; and ${rest} more (-v)` : parts.join('; ');
}

/** `Service/web no ready endpoints`; a sentence that names the object itself loses that name. */
export function effectInWords(look: Look, effect: Effect): string {
  const own = `${effect.kind} ${effect.name} `;
  const words = visible(effect.says.startsWith(own) ? effect.says.slice(own.length) : effect.says).replace(/\.$/, '');
  const says = look.verbose || words.length <= SAID ? words : `${words.slice(0, SAID).replace(/[\s,;:]*\s\S*$/, '')}…`;
  const joint = /^[A-Z][a-z]/.test(says) ? ': ' : ' ';
  return says === '' ? address(look, effect) : `${address(look, effect)}${joint}${says}`;
}

function groupInWords(look: Look, group: Effect[]): string {
  const [first] = group;
  if (!first) return '';
  if (group.length <= 3 || look.verbose) return group.map((one) => effectInWords(look, one)).join('; ');
  const says = visible(first.says);
  const spaces = new Map<string, number>();
  for (const { namespace = '' } of group) spaces.set(namespace, (spaces.get(namespace) ?? 0) + 1);
  const count = plural(group.length, visible(first.kind));
  if (spaces.size === 1)
    return `${count} (${some(
      group.map((one) => shortName(look, one)),
      3,
    )}) ${says}`.trimEnd();
  const largest = [...spaces].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([name, n]) => `${visible(name)} ${n}`);
  return `${count} in ${spaces.size} namespaces (${some(largest, 3)}) ${says}`.trimEnd();
}

/** `Events in orders (forbidden)`. */
export function gapInWords(gap: Pick<Gap, 'kind' | 'namespace' | 'name' | 'reason'>): string {
  const what = gap.name ? `${gap.kind}/${gap.name}` : pluralOf(gap.kind);
  const everywhere = !gap.name && resourceOfKind(gap.kind)?.namespaced ? ' of all namespaces' : '';
  return visible(`${what}${gap.namespace ? ` in ${gap.namespace}` : everywhere} (${REASONS[gap.reason]})`);
}

export const REASONS: Record<Gap['reason'], string> = {
  forbidden: 'forbidden',
  failed: 'could not be read',
  truncated: 'read in part',
  'not-collected': 'not collected',
  expired: 'expired',
};

// What a person pastes stays on one line, however long; a remark after `#` may go to the next.
const COMMAND =
  /^(sudo )?(kubectl|openssl|curl|nslookup|dig|getent|nc|crictl|ctr|ssh|systemctl|journalctl|helm|docker|skopeo|crane|etcdctl|kubeadm|df|ip|timedatectl|chronyc|flux|argocd)(?= [-\w/]*)/;

/** A command glued to one word; any other line as it is. */
export function whole(line: string): string {
  return COMMAND.test(line) ? line.replace(/ (?!#)/g, GLUE) : line;
}
