import type { Text, TextTable } from '../model/text.ts';
import { classifier } from './texts.ts';

/** What people paste most, where no wrapper tells the family. */
const FIRST = ['api-refusals', 'connections'];

/**
 * Classifies a text of unknown origin: families whose own wrapper it wears come first ("Liveness probe failed: ... connection
 * refused" is no connection to the API server), then refusals and connections, then the others in their order.
 */
export function anyClassifier(tables: readonly TextTable[]): (message: string) => Text {
  const classify = classifier(tables);
  const shared = new Set(tables.flatMap(({ peel }) => peel).filter((source, index, all) => all.indexOf(source) !== index));
  const wrappers = tables.map(({ family, peel }) => ({
    family,
    own: peel.filter((source) => !shared.has(source) && source.startsWith('^')).map((source) => new RegExp(source, 's')),
  }));
  const usual = [...tables].sort((a, b) => rank(a.family) - rank(b.family)).map(({ family }) => family);
  return (message) => {
    const worn = wrappers.filter(({ own }) => own.some((wrapper) => wrapper.test(message))).map(({ family }) => family);
    const order = [...worn, ...usual.filter((family) => !worn.includes(family))];
    let unknown: Text | undefined;
    for (const family of order) {
      const text = classify(family, message);
      if (text.class !== 'unknown') return text;
      unknown ??= text;
    }
    return (
      unknown ?? {
        class: 'unknown',
        family: '',
        layer: '',
        says: message.slice(0, 400),
        lacks: '',
        permanence: '',
        captures: {},
        next: '',
        inner: message,
        message,
      }
    );
  };
}

const rank = (family: string): number => (FIRST.includes(family) ? FIRST.indexOf(family) : FIRST.length);
