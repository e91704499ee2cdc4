import { splitTop } from './lists.ts';

type Test = (labels: Record<string, string>) => boolean;

const KEY = String.raw`[A-Za-z0-9](?:[\w./-]*[A-Za-z0-9])?`;
const TERM = new RegExp(
  String.raw`^(?:(?<no>!)\s*(?<without>${KEY})|(?<key>${KEY})(?:\s*(?<op>==?|!=)\s*(?<value>[\w.-]*)|\s+(?<set>in|notin)\s*\((?<values>[^()]*)\))?)$`,
);

/**
 * A label selector as kubectl takes it: `app=web,tier!=cache,env in (a,b),!legacy`. Null where it is none.
 * `!=` and `notin` also fit objects without the label (apimachinery, labels/selector.go).
 */
export function parseSelector(text: string): Test | null {
  const tests = splitTop(text).map((term) => parseTerm(term.trim()));
  if (tests.length === 0 || tests.some((test) => test === null)) return null;
  return (labels) => tests.every((test) => test?.(labels));
}

function parseTerm(term: string): Test | null {
  const { no, without = '', key = '', op, value = '', set, values = '' } = TERM.exec(term)?.groups ?? {};
  if (no) return (labels) => !Object.hasOwn(labels, without);
  if (key === '') return null;
  if (op === '!=') return (labels) => labels[key] !== value;
  if (op) return (labels) => labels[key] === value;
  const list = values.split(',').map((each) => each.trim());
  if (set === 'in') return (labels) => Object.hasOwn(labels, key) && list.includes(labels[key] ?? '');
  if (set === 'notin') return (labels) => !Object.hasOwn(labels, key) || !list.includes(labels[key] ?? '');
  return (labels) => Object.hasOwn(labels, key);
}
