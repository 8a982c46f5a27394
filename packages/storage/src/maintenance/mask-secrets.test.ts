import { assert, property, string, constantFrom, array } from 'fast-check';
import { expect, test } from 'vitest';
import { maskSecrets } from './mask-secrets.ts';

test.for<readonly [string, string, string]>([
  ['as it is', '{"a":"x sk-12345 y"}', '{"a":"x ******** y"}'],
  ['in a text in a text', JSON.stringify({ a: JSON.stringify({ b: 'sk-12345' }) }), '{"a":"{\\"b\\":\\"********\\"}"}'],
  ['after a whole escape', String.raw`{"a":"\nsk-12345\\sk-12345"}`, String.raw`{"a":"\n********\\********"}`],
  ['twice', '["sk-12345sk-12345"]', '["****************"]'],
  ['that is absent', '["sk-1234"]', '["sk-1234"]'],
  ['in base64', JSON.stringify([btoa('me:sk-12345')]), '["bWU6************"]'],
  ['in hex', '["736b2d3132333435"]', '["****************"]'],
])('a secret %s', ([, text, expected]) => {
  expect(maskSecrets(['sk-12345'])(text)).toBe(expected);
});

test('a secret with quotes, line feeds and other letters is found as JavaScript and as Python escape it', () => {
  const secret = 'p"ä\n🧊\\x';
  const mask = maskSecrets([secret]);
  const text = JSON.stringify({ secret, nested: JSON.stringify(secret) });
  const python = String.raw`{"secret":"p\"\u00e4\n\ud83e\uddca\\x"}`;
  for (const each of [text, python]) {
    const after = mask(each);
    expect(Buffer.byteLength(after)).toBe(Buffer.byteLength(each));
    expect(after.replaceAll(/[{}":,a-z\\*]/g, '')).toBe('');
    expect(JSON.parse(after)).toMatchObject({ secret: expect.stringMatching(/^\*+$/) });
  }
});

test('characters of an escape are not part of a secret', () => {
  const text = String.raw`{"a":"\nabcdef"}`;
  expect(maskSecrets(['nabcdef'])(text)).toBe(text);
});

test('a secret that is a number, or is too short, is invalid', () => {
  expect(() => maskSecrets(['123456'])('{"a":123456}')).toThrow(expect.objectContaining({ code: 'invalid' }));
  expect(() => maskSecrets(['12345'])).toThrow(expect.objectContaining({ code: 'invalid' }));
});

test('any secret in any text is removed, and the other text is unchanged', () => {
  const piece = constantFrom('a', '"', '\\', '\n', 'é', '🧊', '.', '$', 'u', ' ');
  const secrets = array(piece, { minLength: 6, maxLength: 8 }).map((pieces) => `S${pieces.join('')}E`);
  assert(
    property(secrets, string(), string(), (secret, before, after) => {
      const text = JSON.stringify({ before, both: before + secret + after, deep: JSON.stringify([secret]) });
      const changed = maskSecrets([secret])(text);
      expect(Buffer.byteLength(changed)).toBe(Buffer.byteLength(text));
      const parsed = JSON.parse(changed);
      expect(parsed.both.startsWith(before) && parsed.both.endsWith(after)).toBe(true);
      expect(parsed.both.slice(before.length, parsed.both.length - after.length)).toMatch(/^\*+$/);
      expect(parsed.deep).toMatch(/^\["\*+"\]$/);
    }),
    { numRuns: 200 },
  );
});
