import { expect, test } from 'vitest';
import { callHostileServer } from '../../test/support/call-hostile-server.ts';

/** Whatever a server sends, a call of its tool ends with a result of a limited length. */
async function expectResult(attack: string, expected: RegExp, timeoutMs?: number): Promise<void> {
  const text = await callHostileServer(attack, timeoutMs);
  expect(text.slice(0, 300)).toMatch(expected);
  expect(text.length).toBeLessThan(60_000);
}

test.for<[string, RegExp]>([
  ['pattern', /^Fine\.$/],
  ['pattern of names', /^Fine\.$/],
  ['doubling', /^Fine\.$/],
  ['a recursive reference', /^Fine\.$/],
  ['depth', /^Fine\.$/],
  ['wide results', /^Fine\.$/],
  ['pattern of results', /^\{"text":"a{40}!"\}$/],
  ['pages without end', /could not be started. It sent more than 20971520 bytes/],
  ['many values', /A message has more than 100000 values/],
  ['deep result', /A message has more than 200 levels of JSON/],
])('an attack by %s ends with a result', { timeout: 60_000 }, async ([attack, expected]) => {
  await expectResult(attack, expected);
});

test.for<[string, RegExp]>([
  ['a line without end', /A message has more than 10485760 bytes|Request timed out/],
  ['questions without end', /Request timed out|does not read/],
  ['notes without end', /Request timed out/],
  ['lines without end', /Request timed out/],
  ['blank lines without end', /Request timed out/],
])('an attack by %s ends with a result after a short time', { timeout: 60_000 }, async ([attack, expected]) => {
  await expectResult(attack, expected, 400);
});

test('after its tools are listed, a server may send more than at its start', { timeout: 60_000 }, async () => {
  expect(await callHostileServer('long lines')).toBe('Fine.');
});
