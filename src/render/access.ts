import type { Access, AccessAnswer, AccessCost } from '../model/access.ts';
import { hiddenBy, resourceOf } from '../model/reads.ts';
import { visible } from './escape.ts';
import type { Style } from './index.ts';
import { paints } from './paint.ts';
import { type Label, labelled } from './text/look.ts';
import { whole } from './text/words.ts';
import { GLUE, wrap } from './wrap.ts';
import { reaching } from './reach.ts';
import { plural } from '../facts/words.ts';

const LABEL: Label = { indent: 0, size: 12 };

/** What may be read and what not, with what each refusal costs; then how to get it. */
export function renderAccess(access: Access, { color, width, verbose, reach }: Style): string {
  const look = { width, paint: paints(color) };
  const { answers, namespaces, failure } = access;
  const place = namespaces.length === 0 ? 'all namespaces' : namespaces.map(visible).join(', ');
  const refused = answers.filter(({ allowed }) => allowed === false);
  const later = refused.filter(({ when }) => when === 'short');
  const open = answers.filter(({ allowed }) => allowed === null);
  const word = failure !== undefined ? 'NOT TOLD' : refused.length > 0 ? 'IN PART' : open.length > 0 ? 'NOT TOLD IN PART' : 'ALL';
  const ink = word === 'ALL' ? look.paint.good : look.paint.unsure;
  const says =
    failure !== undefined
      ? visible(failure)
      : access.recording && refused.length + open.length > 0
        ? `this server is a recording: of ${plural(answers.length, 'reading')} it holds ${answers.length - refused.length - open.length}${refused.length > 0 ? `, and ${refused.length} were refused when it was made` : ''}`
        : access.recording
          ? 'this server is a recording, and holds everything that a diagnosis reads'
          : refused.length > 0
            ? `${refused.length} of ${plural(answers.length, 'reading')} refused to ${visible(access.user)}`
            : open.length > 0
              ? `the server does not say of ${open.length} of ${plural(answers.length, 'reading')} whether ${visible(access.user)} may`
              : `${visible(access.user)} may read everything that a diagnosis reads`;
  const head = wrap(`${place}  ACCESS${GLUE}${word.replaceAll(' ', GLUE)}  ${says}`, width).map((line, index) =>
    index === 0 ? line.replace(`ACCESS ${word}`, ink(`ACCESS ${word}`)) : `  ${line}`,
  );
  const server = [access.context, access.server, access.version].flatMap((part) => (part ? [visible(part)] : [])).join(' ');
  const source = wrap(`${server}, asked${GLUE}${access.askedAt.slice(11, 19)}Z with ${plural(access.requests, 'request')}`, width - 2).map((line, index) =>
    look.paint.faint(index === 0 ? line : `  ${line}`),
  );
  const row = (label: string, texts: readonly string[]): string[] => (texts.length > 0 ? ['', ...labelled(look, LABEL, label, texts)] : []);
  const rows =
    failure !== undefined
      ? []
      : [
          ...row('may read', readable(answers)),
          ...row(
            'refused',
            refusals(
              access,
              refused.filter(({ when }) => when === 'always'),
              verbose,
            ),
          ),
          ...row('in trouble', later.length > 0 ? ['(refused, too, but read only where something is short)', ...refusals(access, later, verbose)] : []),
          ...row(access.recording ? 'not in it' : 'not told', refusals(access, open, verbose)),
          ...row('next', nextSteps(access, refused, reach)),
        ];
  return `${[...head, ...source, ...rows].map((line) => line.trimEnd()).join('\n')}\n`;
}

/** Resources that may be read wherever they are asked for, by place. */
function readable(answers: readonly AccessAnswer[]): string[] {
  const places = [...new Set(answers.map(({ namespace }) => namespace))];
  return places.flatMap((place) => {
    const names = [
      ...new Set(answers.filter(({ namespace, allowed }) => namespace === place && allowed === true).map((answer) => resourceOf(answer).resource)),
    ];
    return names.length === 0 ? [] : [`${place === null ? 'cluster' : visible(place)}: ${names.join(', ')}`];
  });
}

/** One line for all that hides the same at the same cost. */
function refusals({ costs, namespaces }: Access, answers: readonly AccessAnswer[], verbose: boolean): string[] {
  const lines = new Map<string, Map<string, Set<string>>>();
  for (const answer of answers) {
    const { resource, namespaced } = resourceOf(answer);
    // Asked of the whole cluster beside the namespaces in question.
    const elsewhere = answer.namespace === null && namespaced && namespaces.length > 0;
    const where = elsewhere ? ' in all namespaces' : namespaces.length > 1 && answer.namespace !== null ? ` in ${visible(answer.namespace)}` : '';
    const says = elsewhere
      ? 'hides what is held back from another namespace'
      : `hides ${hiddenBy(answer.kind)}${costInWords(
          costs.find(({ kind }) => kind === answer.kind),
          verbose,
        )}`;
    const names = lines.get(`${where}: ${says}`) ?? new Map<string, Set<string>>();
    names.set(resource, (names.get(resource) ?? new Set()).add(answer.verb));
    lines.set(`${where}: ${says}`, names);
  }
  return [...lines].map(([says, names]) => {
    const verbs = new Set([...names.values()].flatMap((each) => [...each]));
    return `${[...names.keys()].join(', ')} (${[...verbs].sort().join(', ')})${says}`;
  });
}

function costInWords(cost: AccessCost | undefined, verbose: boolean): string {
  if (!cost || cost.blind.length + cost.weaker.length === 0) return '';
  const { blind, weaker, layers } = cost;
  const parts = [
    blind.length > 0 ? `${plural(blind.length, 'rule')} cannot judge${verbose ? ` (${blind.join(', ')})` : ''}` : '',
    weaker.length > 0
      ? `${blind.length > 0 ? weaker.length : plural(weaker.length, 'rule')} say${weaker.length === 1 ? 's' : ''} less${verbose ? ` (${weaker.join(', ')})` : ''}`
      : '',
  ].filter((part) => part !== '');
  return `. ${parts.join(', ')}: ${layers.join(', ')}`;
}

function nextSteps({ namespaces, recording }: Access, refused: readonly AccessAnswer[], reach: string | undefined): string[] {
  if (recording) return ['ask the cluster itself what may be read there (--context): a recording grants nothing'];
  if (refused.length === 0) return [];
  const place = namespaces.length === 0 ? '-A' : namespaces.map((namespace) => `-n ${visible(namespace)}`).join(' ');
  return [
    whole(reaching(`kubectl strata access ${place} -o yaml > roles.yaml`, reach)),
    'holds what is missing; whoever may grant it reads it, and applies it',
  ];
}
