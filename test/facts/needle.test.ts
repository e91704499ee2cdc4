import { expect, test } from 'vitest';
import { needlesOf } from '../../src/facts/needle.ts';

test.each([
  [/^Back-off pulling image/, ['Back-off pulling image']],
  [/node\(s\) had (?:untolerated|other) taint/, ['node(s) had ']],
  [/failed \w+ to mount "(?<volume>[^"]+)": timed out/, ['": timed out']],
  [/colou?r of it/, ['r of it']],
  [/abc*de/, ['ab']],
  [/abcd{2,3}e/, ['abc']],
  [/x[a|b\]]yz+w/, ['yz']],
  [/(?<=before )after.*end/, ['after']],
  [/a\.b\/c\d+/, ['a.b/c']],
  [/^one two|(?:any|thing) other|third$/, ['one two', ' other', 'third']],
])('whatever %s matches holds one of %j', (expression, needles) => {
  expect(needlesOf(expression)).toEqual(needles);
});

test.each([/one|\w+/, /anything/i, /caf\u00e9/, /(?<a>.)\k<a>xyz/, /(?:all|of|it)/])('of %s nothing is certain', (expression) => {
  expect(needlesOf(expression)).toEqual([]);
});
