import fc from 'fast-check';
import { expect, test } from 'vitest';
import { redactionChecks } from '../../test/redaction-properties.ts';
import { redactor } from './redactor.ts';

const hidden = '<secret-hidden>';
const redactText = (secrets: readonly string[], text: string): string =>
  redactor(secrets, { replacement: hidden }).text(text);

test.for(redactionChecks(1))('%s', ([, check]) => check());

test('a stream keeps only what may become a secret', () => {
  const stream = redactor(['swordfish'], { replacement: hidden }).stream();
  const out = ['a word, a sw', 'ordf', 'ight, a swordfis', 'h.'].map((piece) => stream.push(piece));
  expect([...out, stream.end()]).toEqual(['a word, a ', '', 'swordfight, a ', `${hidden}.`, '']);
});

test('a text without a spelling is returned as it is', () => {
  const { value } = redactor(['swordfish'], { replacement: hidden });
  const clean = Object.freeze({ a: Object.freeze(['sword fish']), b: null, c: 1 });
  expect(value(clean)).toBe(clean);
  const part = Object.freeze({ same: clean, other: 'swordfish' });
  expect(value(part)).toEqual({ same: clean, other: hidden });
  expect(value(part).same).toBe(clean);
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      fc.pre(!text.includes('swordfish'));
      expect(redactText(['swordfish'], text)).toBe(text);
    }),
  );
});

test('property names stay', () => {
  const { value } = redactor(['swordfish'], { replacement: hidden });
  expect(value({ swordfish: ['a swordfish'] })).toEqual({ swordfish: [`a ${hidden}`] });
});

test('the longest secret wins, and secrets that overlap are hidden together', () => {
  expect(redactText(['pass', 'password1', 'word'], 'password1 password2')).toBe(`${hidden} ${hidden}${hidden}2`);
  expect(redactText(['abcdef', 'defghijk'], '(abcdefghijk)')).toBe(`(${hidden})`);
  expect(redactText(['aaaa'], 'aaaaaa')).toBe(hidden);
});

test('what is hidden already stays, also when a secret is a word of it', () => {
  const { text } = redactor(['secret', 'hidden'], { replacement: hidden });
  expect(text(text('my secret'))).toBe(`my ${hidden}`);
});

test('secrets shorter than four characters are not hidden, and those shorter than eight not in hex', () => {
  expect(redactText(['', 'abc', '  ab  '], 'abc YWI=')).toBe('abc YWI=');
  expect(redactText(['abcd'], 'abcd 61626364 YWJjZA== YWJjZA xYWJjZA')).toBe(
    `${hidden} 61626364 ${hidden} ${hidden} x${hidden}`,
  );
  expect(redactText(['abcdefg'], Buffer.from('(abcdefg)').toString('base64'))).toBe('KGFiY2RlZmcp');
});

test('the white space around a secret is optional, and its long lines are found alone', () => {
  const secrets = ['swordfish\n', '-----BEGIN KEY-----\nMIIEvQIBADANBgkq\nAA==\n-----END KEY-----\n'];
  expect(redactText(secrets, 'a swordfish.')).toBe(`a ${hidden}.`);
  expect(redactText(secrets, 'MIIEvQIBADANBgkq')).toBe(hidden);
  expect(redactText(secrets, 'AA==')).toBe('AA==');
  expect(redactText(secrets, secrets.join('').replaceAll('\n', '\r\n'))).toBe(hidden + hidden);
});

test('a list of secrets that changes is followed', () => {
  const known = ['first'];
  const { text, value } = redactor(() => known, { replacement: hidden });
  expect(text('first second')).toBe(`${hidden} second`);
  known.push('second');
  expect(value(['first second'])).toEqual([`${hidden} ${hidden}`]);
});

test('a replacement may depend on what it replaces', () => {
  const { text } = redactor(['sword fish'], { replacement: (spelling) => '*'.repeat(spelling.length) });
  expect(text('sword fish sword%20fish')).toBe('********** ************');
});

test('in the text of JSON a letter of an escape is not the start of a secret', () => {
  const { jsonText, text } = redactor(['nabcdef'], { replacement: '*' });
  const json = String.raw`{"a":"\nabcdef","b":"\\nabcdef"}`;
  expect(jsonText(json)).toBe(String.raw`{"a":"\nabcdef","b":"\\*"}`);
  expect(text(json)).toBe(String.raw`{"a":"\*","b":"\\*"}`);
});

test('in the text of JSON no secret remains, whatever precedes it and whichever others overlap it', () => {
  const unit = fc.constantFrom('n', 't', 'u', '/', '"', "'", '\\', 'a', '0');
  const word = fc.string({ unit, minLength: 6, maxLength: 8 }).filter((text) => /\w{2}$/.test(text));
  const texts = fc.array(fc.oneof(fc.constantFrom('\n', '\t', '\\', '\u0001'), fc.nat(2)), { maxLength: 9 });
  fc.assert(
    fc.property(fc.array(word, { minLength: 3, maxLength: 3 }), texts, (secrets, parts) => {
      const value = parts.map((part) => (typeof part === 'number' ? secrets[part] : part)).join('');
      const { jsonText } = redactor(secrets, { replacement: '*' });
      const masked = JSON.parse(jsonText(JSON.stringify([value]))) as readonly string[];
      for (const secret of secrets) expect(masked[0]).not.toContain(secret);
    }),
    { numRuns: 300 },
  );
});

// Quadratic work on one of these texts would take longer than a test may.
test('a long text that repeats the known beginning of a secret is unchanged', () => {
  const secrets = [
    `-----BEGIN PRIVATE KEY-----\n${'Ab3/'.repeat(16)}\n`,
    `eyJhbGciOiJIUzI1NiJ9.${'x'.repeat(99)}`,
    `${'a'.repeat(40)}"b`,
  ];
  const { text } = redactor(secrets, { replacement: hidden });
  const units = [
    'a',
    '61 ',
    '6',
    '61\\x',
    '\\',
    '0x',
    '\\',
    'YWFh',
    '6161',
    'YWFh\n',
    '%',
    '&#',
    '\\n',
    '-----BEGIN PRIVATE ',
    'eyJhbGciOiJIUzI1NiJ9.',
  ];
  for (const unit of units) {
    const hostile = unit.repeat(50_000 / unit.length);
    expect(text(hostile)).toBe(hostile);
  }
});

test.for(['\n', '\r\n', '\r'])('the line ends %j of a secret stay where lines are counted', (end) => {
  const key = ['-----BEGIN KEY-----', 'MIIEvQIBADANBgkq', '-----END KEY-----'].join('\n');
  const { lines } = redactor([key], { replacement: hidden });
  const text = `one\n${key.replaceAll('\n', end)}\ntwo`;
  expect(lines.text(text)).toBe(`one\n${hidden}${end}${end}\ntwo`);
  const stream = lines.stream();
  const streamed = text.split('').map((character) => stream.push(character));
  expect(streamed.join('') + stream.end()).toBe(lines.text(text));
});
