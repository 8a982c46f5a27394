import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventDecoder, type ServerSentEvent } from './server-sent-events.ts';

const overLimit = (unit: string, limit: number): Error => new Error(`more than ${limit} ${unit}`);
const options = { maxCharacters: 40_000_000, overLimit };

function decode(...chunks: readonly (string | Uint8Array)[]): readonly ServerSentEvent[] {
  const decoder = eventDecoder(options);
  const bytes = chunks.map((chunk) => (typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk));
  return [...bytes.flatMap((each) => decoder.push(each)), ...decoder.end()];
}

const event = (data: string, name?: string, isCut = false): ServerSentEvent => ({ name, data, isCut });

test('events end with a blank line, for each kind of line end', () => {
  expect(decode('data: a\n\ndata: b\r\n\r\ndata: c\r\rdata:d\n\n')).toEqual([
    event('a'),
    event('b'),
    event('c'),
    event('d'),
  ]);
});

test('comments, ids, retry hints and a byte order mark are left out', () => {
  expect(decode('\uFEFF: hello\nid: 1\nretry: 5\ndata: a\n\n: bye\n\n')).toEqual([event('a')]);
});

test('several data lines are joined, and a name belongs to its event only', () => {
  expect(decode('event: error\ndata: a\ndata: b\n\ndata\n\n')).toEqual([event('a\nb', 'error'), event('')]);
});

test('an event that the end of the stream cuts is marked', () => {
  expect(decode('data: a\n\ndata: {"half')).toEqual([event('a'), event('{"half', undefined, true)]);
  expect(decode('data: [DONE]\n')).toEqual([event('[DONE]', undefined, true)]);
  expect(decode('data: a\r\n\r')).toEqual([event('a')]);
});

test('a stream has the same events wherever its bytes are cut', () => {
  const line = fc.oneof(
    fc.string({ unit: 'grapheme' }).map((value) => `data: ${value.replaceAll(/[\r\n]/g, '')}`),
    fc.constantFrom('', ': note', 'event: x', 'data'),
  );
  const stream = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 12 });
  fc.assert(
    fc.property(stream, fc.array(fc.nat()), (lines, cuts) => {
      const bytes = new TextEncoder().encode(lines.flat().join(''));
      const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].toSorted((a, b) => a - b);
      const chunks = [...at, bytes.length].map((end, index) => bytes.slice(at[index - 1] ?? 0, end));
      expect(decode(...chunks)).toEqual(decode(bytes));
    }),
  );
});

/** It would take minutes if each chunk were looked at together with those before it. */
test('many megabytes in one line and many chunks are read in linear time', () => {
  const chunk = new TextEncoder().encode('x'.repeat(1000));
  const decoder = eventDecoder(options);
  decoder.push(new TextEncoder().encode('data: '));
  for (let count = 0; count < 30_000; count += 1) decoder.push(chunk);
  expect(decoder.end()[0]?.data.length).toBe(30_000_000);
});

test.for([
  ['data: x', 'more than 100 characters in one event'],
  ['data: x\n', 'more than 100 characters in one event'],
  ['data:', 'more than 100 characters in one event'],
  ['event: x\n', 'more than 100000 lines in one event'],
  [': x\n\n', 'more than 100000 lines in one event'],
  ['\r\n', 'more than 100000 lines in one event'],
] as const)('an event that does not end, of %j, exceeds a limit: %s', ([unit, problem]) => {
  const decoder = eventDecoder({ maxCharacters: 100, overLimit });
  const chunk = new TextEncoder().encode(unit.repeat(50));
  expect(() => {
    for (let count = 0; count < 2100; count += 1) decoder.push(chunk);
  }).toThrow(problem);
});
