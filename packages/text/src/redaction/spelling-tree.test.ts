import { expect, test, vi } from 'vitest';
import { redactor } from './redactor.ts';

const hidden = '<secret-hidden>';
const beginning = 'eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6IjdkYjM4In0.eyJpc3MiOiJodHRwczovL2V4YW1wbGUuY29tIiwi';

const hexOf = (text: string): string => Buffer.from(text).toString('hex');
const base64Of = (text: string): string => Buffer.from(text).toString('base64');

/** Counts the comparisons with parts of secrets while a text that repeats their common beginning is redacted. */
function comparisonsOf(count: number, encode: (text: string) => string): number {
  const secrets = Array.from({ length: count }, (_, index) => `${beginning}${index}-${'x'.repeat(40)}`);
  const { text } = redactor(secrets, { replacement: hidden });
  const hostile = encode(beginning.repeat(20));
  expect(text(hostile)).toBe(hostile);
  using startsWith = vi.spyOn(String.prototype, 'startsWith');
  text(hostile);
  return startsWith.mock.calls.length;
}

test.for([
  ['base64', base64Of],
  ['hex', hexOf],
] as const)('the cost of a repeated beginning in %s hardly depends on the number of secrets with it', ([, encode]) => {
  expect(comparisonsOf(20, encode)).toBeLessThan(3 * comparisonsOf(1, encode));
});

test.for([
  ['base64', base64Of],
  ['hex', hexOf],
  ['plain text', (text: string) => text],
] as const)('secrets of one beginning, and the beginning, are found in %s', ([, encode]) => {
  const others = ['A', 'B', 'BC'].map((end) => `${beginning}-${end.repeat(20)}`);
  const { text } = redactor([beginning, ...others], { replacement: hidden });
  for (const secret of [beginning, ...others]) {
    expect(text(`1 ${encode(secret)} 2`)).toBe(`1 ${hidden} 2`);
    expect(text(`1 ${encode(`${secret}+++`)} 2`)).toContain(hidden);
  }
});
