import fc from 'fast-check';
import { expect, test } from 'vitest';
import { redactor } from './redactor.ts';

const hidden = '<secret-hidden>';
const redactText = (secrets: readonly string[], text: string): string =>
  redactor(secrets, { replacement: hidden }).text(text);

const quoted = (text: string): string => JSON.stringify(text).slice(1, -1);
const escapedAs = (digits: (hex: string) => string, characters: RegExp) => (text: string) =>
  quoted(text).replaceAll(characters, (unit) => `\\u${digits(unit.charCodeAt(0).toString(16).padStart(4, '0'))}`);
const upper = (hex: string): string => hex.toUpperCase();
const lower = (hex: string): string => hex;
const inLines = (text: string, columns: number, end: string): string =>
  text.replaceAll(new RegExp(`.{${columns}}(?=.)`, 'g'), `$&${end}`);

/** The encoders of other programs. */
const encoders: Readonly<Record<string, (secret: string) => string>> = {
  plain: (secret) => secret,
  'JSON of JavaScript': quoted,
  'JSON of JavaScript in JSON': (secret) => quoted(quoted(secret)),
  'JSON of Python (ensure_ascii)': escapedAs(lower, /[^ -~]/g),
  'JSON of Go': escapedAs(lower, /[<>&\u2028\u2029]/g),
  'JSON of .NET': (secret) =>
    escapedAs(upper, /['<>&+`]|[^ -~]/g)(secret).replaceAll(String.raw`\"`, String.raw`\u0022`),
  'JSON of PHP': (secret) => escapedAs(lower, /[^ -~]/g)(secret).replaceAll('/', String.raw`\/`),
  'JSON of PHP in JSON of PHP': (secret) => {
    const once = escapedAs(lower, /[^ -~]/g)(secret).replaceAll('/', String.raw`\/`);
    return quoted(once).replaceAll('/', String.raw`\/`);
  },
  'JSON of Gson': escapedAs(lower, /[<>&='\u2028\u2029]/g),
  'JSON of Python, four times': (secret) => [1, 2, 3, 4].reduce((text) => escapedAs(lower, /[^ -~]/g)(text), secret),
  'a component of a URL': (secret) => encodeURIComponent(secret),
  'a component of a URL, lower case': (secret) =>
    encodeURIComponent(secret).replaceAll(/%\w\w/g, (byte) => byte.toLowerCase()),
  'a component of a URL, twice': (secret) => encodeURIComponent(encodeURIComponent(secret)),
  'a URL': (secret) => encodeURI(secret),
  'a form': (secret) => new URLSearchParams({ a: secret.replaceAll(/\r\n?|\n/g, '\n') }).toString().slice(2),
  HTML: (secret) =>
    secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
  'HTML of PHP': (secret) =>
    secret
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      .replaceAll("'", '&#039;'),
  'HTML of Python': (secret) =>
    secret
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      .replaceAll("'", '&#x27;'),
  XML: (secret) =>
    secret
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll("'", '&apos;')
      .replaceAll(/[^ -~]/gu, (unit) => `&#${unit.codePointAt(0)};`),
};

/** Those of bytes, which need a secret of eight characters. */
const byteEncoders: Readonly<Record<string, (secret: string) => string>> = {
  hex: (secret) => Buffer.from(secret).toString('hex'),
  'upper-case hex': (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
  'hex with blanks': (secret) => bytesOf(secret).join(' '),
  'hex with colons': (secret) => bytesOf(secret).join(':').toUpperCase(),
  'hex with hyphens': (secret) => bytesOf(secret).join('-'),
  'hex in lines of 60': (secret) => inLines(bytesOf(secret).join(''), 60, '\n'),
  'hex in lines of 16 bytes': (secret) => inLines(bytesOf(secret).join(' '), 48, '\n'),
  'hex of C': (secret) => bytesOf(secret).join(', 0x'),
  'hex escapes': (secret) => bytesOf(secret).join('\\x'),
  'hex escapes in JSON': (secret) => bytesOf(secret).join('\\\\x'),
  'JSON escapes of each byte': (secret) => bytesOf(secret).join('\\u00'),
  'HTML numbers': (secret) => bytesOf(secret).join(';&#x'),
  'percent for each byte': (secret) => bytesOf(secret).join('%'),
  'percent for each byte, upper case': (secret) => bytesOf(secret).join('%').toUpperCase(),
  base64: (secret) => Buffer.from(secret).toString('base64'),
  base64url: (secret) => Buffer.from(secret).toString('base64url'),
  'base64 without padding': (secret) => Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  'base64 in JSON of PHP': (secret) =>
    Buffer.from(secret)
      .toString('base64')
      .replaceAll('/', String.raw`\/`),
  'base64 in a URL': (secret) => encodeURIComponent(Buffer.from(secret).toString('base64').replace(/=+$/, '')),
  'base64 in lines': (secret) => inLines(Buffer.from(secret).toString('base64'), 64, '\n'),
  'base64 in short lines of JSON': (secret) => inLines(Buffer.from(secret).toString('base64'), 24, String.raw`\r\n`),
};

/** The bytes of a text in hex. */
const bytesOf = (text: string): readonly string[] => Buffer.from(text).toString('hex').match(/../g) ?? [];

const special = fc.constantFrom(
  '"',
  '\\',
  '/',
  '+',
  '<',
  '&',
  "'",
  '%',
  ' ',
  '=',
  '\n',
  '\r\n',
  '\t',
  '\u0000',
  '\u007f',
  '\u2028',
  'é',
  '語',
  '🧊',
  'n',
  'u',
  '-',
);
const secretOf = (minLength: number) =>
  fc
    .array(fc.oneof(special, fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 4 })), {
      minLength,
      maxLength: 30,
    })
    .map((parts) => parts.join(''))
    .filter((secret) => secret.trim() === secret && secret.length >= minLength);
const around = fc.string({ unit: fc.constantFrom('§', ' ', '.', '\n', '語'), maxLength: 40 });

test.for(Object.entries(encoders))('a secret is found as %s', ([, encode]) => {
  fc.assert(
    fc.property(secretOf(4), around, around, (secret, before, after) => {
      expect(redactText([secret], before + encode(secret) + after)).toBe(before + hidden + after);
    }),
    { numRuns: 150 },
  );
});

test.for(Object.entries(byteEncoders))('a secret is found as %s', ([, encode]) => {
  fc.assert(
    fc.property(secretOf(8), around, around, (secret, before, after) => {
      expect(redactText([secret], `${before}§${encode(secret)}§${after}`)).toBe(`${before}§${hidden}§${after}`);
    }),
    { numRuns: 150 },
  );
});

test('a secret is found in the base64 of a text that holds it, in lines of any length', () => {
  fc.assert(
    fc.property(
      secretOf(8),
      fc.string({ maxLength: 90, size: 'max' }),
      fc.string(),
      fc.integer({ min: 24, max: 90 }),
      (secret, before, after, columns) => {
        const encoded = Buffer.from(before + secret + after).toString('base64');
        const start = Math.ceil((Buffer.byteLength(before) * 8) / 6);
        const end = Math.floor((Buffer.byteLength(before + secret) * 8) / 6);
        const redacted = redactText([secret], inLines(encoded, columns, '\n'));
        expect(redacted).toContain(hidden);
        const rest = redacted.replaceAll('\n', '');
        expect(rest.startsWith(encoded.slice(0, start) + hidden)).toBe(true);
        expect(rest.length - start - hidden.length).toBeLessThanOrEqual(encoded.length - end);
      },
    ),
    { numRuns: 500 },
  );
});

const pieces = (text: string, sizes: readonly number[]): readonly string[] => {
  const result: string[] = [];
  for (let at = 0, turn = 0; at < text.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    result.push(text.slice(at, at + size));
    at += size;
  }
  return result;
};

test('a stream is redacted as its whole text, wherever it is cut', () => {
  const all = Object.values({ ...encoders, ...byteEncoders });
  const texts = fc
    .tuple(
      fc.array(secretOf(8), { minLength: 1, maxLength: 3 }),
      fc.array(fc.tuple(around, fc.nat(), fc.nat()), { maxLength: 6 }),
    )
    .map(([secrets, parts]) => {
      const text = parts.map(
        ([before, secret, encoder]) =>
          before + (all[encoder % all.length] ?? quoted)(secrets[secret % secrets.length] ?? ''),
      );
      return [secrets, text.join('')] as const;
    });
  fc.assert(
    fc.property(texts, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), ([secrets, text], sizes) => {
      const { text: redact, stream } = redactor(secrets, { replacement: '*' });
      const redacting = stream();
      const out = pieces(text, sizes).map((piece) => redacting.push(piece));
      expect(out.join('') + redacting.end()).toBe(redact(text));
    }),
    { numRuns: 300 },
  );
});

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

test('other bytes in hex and base64 are unchanged', () => {
  const other = fc.uint8Array({ minLength: 40, maxLength: 300 });
  const separator = fc.constantFrom('', ' ', ':', '\\x', ', 0x', '\n');
  fc.assert(
    fc.property(secretOf(8), other, separator, (secret, bytes, between) => {
      const buffer = Buffer.from(bytes);
      fc.pre(!buffer.includes(secret));
      const text = [...buffer].map((byte) => byte.toString(16).padStart(2, '0')).join(between);
      expect(redactText([secret], text)).toBe(text);
      expect(redactText([secret], buffer.toString('base64'))).toBe(buffer.toString('base64'));
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

test('text that repeats the known beginning of a secret takes linear time', () => {
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
    const hostile = unit.repeat(100_000 / unit.length);
    const begin = performance.now();
    expect(text(hostile)).toBe(hostile);
    expect(performance.now() - begin).toBeLessThan(2000);
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
