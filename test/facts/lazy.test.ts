import { describe, expect, it } from 'vitest';
import { lazy } from '../../src/facts/lazy.ts';
import { Unknown } from '../../src/model/read.ts';

interface Pair {
  a: number;
  b: number;
}

const forbidden = new Unknown({ reason: 'forbidden', kind: 'Pod' });

describe('lazy records', () => {
  it('computes a field once, when it is read', () => {
    let made = 0;
    const record: Pair = lazy<Pair>({ a: () => (made += 1), b: (): number => record.a + 10 });
    expect(Object.hasOwn(record, 'a') && 'a' in record && Object.keys(record).join() === 'a,b').toBe(true);
    expect(made).toBe(0);
    expect([record.b, record.a, record.a, made]).toEqual([11, 1, 1, 1]);
  });

  it('raises again what a field raised, and the others go on', () => {
    const record = lazy<{ bad: number; good: number }>({ bad: () => { throw forbidden; }, good: () => 1 });
    expect(() => record.bad).toThrow(Unknown);
    expect(() => record.bad).toThrow(Unknown);
    expect(record.good).toBe(1);
  });

  it('is a plain object to whoever looks', () => {
    const record = lazy<{ a: number; none: null }>({ a: () => 1, none: () => null });
    expect({ ...record }).toEqual({ a: 1, none: null });
    expect(JSON.stringify(record)).toBe('{"a":1,"none":null}');
    expect(record.constructor).toBe(Object);
    expect((record as Record<string, unknown>)['b']).toBeUndefined();
    expect('b' in record || Object.hasOwn(record, 'toString')).toBe(false);
    expect(() => { (record as { a: number }).a = 2; }).toThrow(TypeError);
  });
});
