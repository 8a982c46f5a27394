import fc from 'fast-check';
import { expect, test } from 'vitest';
import { redactLine, redactText } from './redact.ts';

test('named secrets and everything that looks like a key are replaced', () => {
  const input =
    'Incorrect API key provided: sk-proj-abc12345. Bearer tok3n-value99, api_key="Zx9Yw8Vu7" and my-own-secret.';
  expect(redactLine(input, ['my-own-secret'])).toBe(
    'Incorrect API key provided: [redacted] Bearer [redacted], api_key="[redacted]" and [redacted].',
  );
});

test('a secret that begins with another one is replaced completely', () => {
  expect(redactLine('It is tokenword-and-more.', ['tokenword', 'tokenword-and-more'])).toBe('It is [redacted].');
});

test('names in code that begin like a key are unchanged', () => {
  const input = 'hf_hub_download(), sk_buff_head, pk_user_id and sk-learn-contrib';
  expect(redactLine(input)).toBe(input);
});

test('keys of other services, and keys that a provider shows in part, are replaced', () => {
  const keys = ['AKIAIOSFODNN7EXAMPLE', 'github_pat_11ABCDEFG0abcdef', 'glpat-abcdef1234567890', 'sk-********wxyz'];
  for (const key of keys) expect(redactLine(`with ${key} as the key`)).toBe('with [redacted] as the key');
});

test('text about keys and tokens is unchanged', () => {
  const input = 'The bearer token is invalid; max_tokens: 4096 exceeds the token limit. Missing api key: none';
  expect(redactLine(input)).toBe(input);
});

test('text is one line of at most 300 characters', () => {
  const cut = redactLine(`a\n\tb ${'😀'.repeat(400)}`);
  expect(cut).toMatch(/^a b 😀+…$/u);
  expect(cut.length).toBeLessThanOrEqual(300);
});

test.for<readonly [string, string]>([
  ['a URL', 'https://x.test/?key=Key%2Fwith%2Bmarks%3D1&a=b'],
  ['JSON', String.raw`{"key":"Key/with+marks=1"}`],
  ['JSON of PHP', String.raw`{"key":"Key\/with+marks=1"}`],
  ['JSON of .NET', String.raw`{"key":"Key/with\u002Bmarks=1"}`],
  ['hex', Buffer.from('Key/with+marks=1').toString('hex')],
  ['base64', Buffer.from('Key/with+marks=1').toString('base64')],
  ['the base64 of a login', Buffer.from('me:Key/with+marks=1').toString('base64')],
  ['the base64 of a header', Buffer.from('a Key/with+marks=1\n').toString('base64url')],
])('a secret is found in %s', ([, input]) => {
  const left = redactLine(`it is ${input}.`, ['Key/with+marks=1']);
  expect(left).toContain('[redacted]');
  expect(left.length).toBeLessThan(50);
});

test('a secret is found in JSON of Go', () => {
  expect(redactLine(String.raw`it is {"key":"a\u0026b\u003cc+12345"}.`, ['a&b<c+12345'])).toBe(
    'it is {"key":"[redacted]"}.',
  );
});

test('a short secret is only replaced in its plain spelling', () => {
  expect(redactLine('abcd and 61626364', ['abcd'])).toBe('[redacted] and 61626364');
});

test('of a secret no part is left, wherever a text is cut', () => {
  const secret = fc.string({
    unit: fc.constantFrom(...'abcdefghijklmnop+/=%<"'.split('')),
    minLength: 12,
    maxLength: 60,
  });
  const spelled = fc.constantFrom<(key: string) => string>(
    (key) => key,
    encodeURIComponent,
    (key) => JSON.stringify(key).slice(1, -1),
    (key) => Buffer.from(key).toString('hex'),
    (key) => Buffer.from(`user:${key}`).toString('base64'),
  );
  const around = fc.constantFrom(20_000, 1_000_000).chain((cut) => fc.integer({ min: cut - 400, max: cut + 10 }));
  fc.assert(
    fc.property(secret, spelled, around, (key, spell, length) => {
      const written = spell(key);
      const line = redactLine(`a ${' '.repeat(length)}${written}`, [key]);
      const parts = Array.from({ length: written.length - 7 }, (_, at) => written.slice(at, at + 8));
      expect(parts.filter((part) => line.includes(part) && part.trim().length > 5)).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

test('of a key that is not registered no part is left, wherever a text is cut', () => {
  const keys = ['sk-proj-abcdefghijklmnopqrstuv0', 'ghp_abcdefghijklmnopqrstuvwxyz0', `Bearer ${'x'.repeat(100)}0`];
  for (const key of keys) {
    for (let length = 19_700; length < 20_005; length += 7) {
      const line = redactLine(`${' '.repeat(length)}${key}`);
      expect(line).toMatch(/^(?:…|.{0,8}\[redacted\]…?)$/);
    }
  }
});

test('a JSON Web Token is replaced', () => {
  const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-DEF_123';
  expect(redactText(`a ${token} b, x-${token}`)).toBe('a [redacted] b, x-[redacted]');
  expect(redactText('eyJ is the start of a.b, and eyJustaword-of-many.')).toBe(
    'eyJ is the start of a.b, and eyJustaword-of-many.',
  );
});

test.for(['eyJaaaaaaaaaaaa-', 'sk-', 'sk-a', 'bearer ', 'api_key=', 'token:', 'AIza', 'a', '-', ' '])(
  'a long text of %j is read in linear time',
  (unit) => {
    expect(redactText(unit.repeat(1_000_000 / unit.length)).length).toBeGreaterThan(0);
  },
);

test.for(['x', 'sk-1', 'bearer 1x', 'token=1', 'AIza'])('a word of 16 million characters, %s…, is read', (start) => {
  expect(redactText(start + 'x'.repeat(16_000_000))).toMatch(/x$|\]$/);
});
