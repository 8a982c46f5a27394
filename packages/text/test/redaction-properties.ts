import fc from 'fast-check';
import { expect } from 'vitest';
import { redactor } from '../src/redaction/redactor.ts';

const hidden = '<secret-hidden>';
const redactText = (secrets: readonly string[], text: string): string =>
  redactor(secrets, { replacement: hidden }).text(text);

const quoted = (text: string): string => JSON.stringify(text).slice(1, -1);
const escapedAs = (digits: (hex: string) => string, characters: RegExp) => (text: string) =>
  quoted(text).replaceAll(characters, (unit) => `\\u${digits(unit.charCodeAt(0).toString(16).padStart(4, '0'))}`);
const upper = (hex: string): string => hex.toUpperCase();
const lower = (hex: string): string => hex;
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
  'a component of a URL': (secret) => encodeURIComponent(secret),
  'a component of a URL, lower case': (secret) =>
    encodeURIComponent(secret).replaceAll(/%\w\w/g, (byte) => byte.toLowerCase()),
  'a URL': (secret) => encodeURI(secret),
  'a form': (secret) => new URLSearchParams({ a: secret.replaceAll(/\r\n?|\n/g, '\n') }).toString().slice(2),
  'a query of Python': (secret) =>
    encodeURIComponent(secret)
      .replaceAll(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
      .replaceAll('%20', '+'),
};

/** Those of bytes, which need a secret of eight characters. */
const byteEncoders: Readonly<Record<string, (secret: string) => string>> = {
  hex: (secret) => Buffer.from(secret).toString('hex'),
  'upper-case hex': (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
  base64: (secret) => Buffer.from(secret).toString('base64'),
  base64url: (secret) => Buffer.from(secret).toString('base64url'),
  'base64 without padding': (secret) => Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  'base64 in a URL': (secret) => encodeURIComponent(Buffer.from(secret).toString('base64').replace(/=+$/, '')),
  'base64 of JSON': (secret) => Buffer.from(quoted(secret)).toString('base64'),
  'base64 of JSON of Python': (secret) => Buffer.from(escapedAs(lower, /[^ -~]/g)(secret)).toString('base64'),
  'base64 with other line ends': (secret) =>
    Buffer.from(secret.replaceAll(/\r?\n/g, '\r\n').replaceAll('\r\n', secret.includes('\r') ? '\n' : '\r\n')).toString(
      'base64',
    ),
};

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
/** Secrets of at least `minLength` characters, with those that encoders escape. */
const secretOf = (minLength: number) =>
  fc
    .array(fc.oneof(special, fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 4 })), {
      minLength,
      maxLength: 30,
    })
    .map((parts) => parts.join(''))
    .filter((secret) => secret.trim() === secret && secret.length >= minLength);
const around = fc.string({ unit: fc.constantFrom('§', ' ', '.', '\n', '語'), maxLength: 40 });

/** Checks that a secret is found in an encoding, between any texts. */
function checkEncoder(encode: (secret: string) => string, numRuns: number): void {
  fc.assert(
    fc.property(secretOf(4), around, around, (secret, before, after) => {
      expect(redactText([secret], before + encode(secret) + after)).toBe(before + hidden + after);
    }),
    { numRuns },
  );
}

/** Checks that a secret is found in an encoding of bytes, between any texts. */
function checkByteEncoder(encode: (secret: string) => string, numRuns: number): void {
  fc.assert(
    fc.property(secretOf(8), around, around, (secret, before, after) => {
      expect(redactText([secret], `${before}§${encode(secret)}§${after}`)).toBe(`${before}§${hidden}§${after}`);
    }),
    { numRuns },
  );
}

/** Checks that a secret is found in the base64 of a text that holds it, at any byte. */
function checkBase64OfText(numRuns: number): void {
  fc.assert(
    fc.property(secretOf(8), fc.string({ maxLength: 90, size: 'max' }), fc.string(), (secret, before, after) => {
      const encoded = Buffer.from(before + secret + after).toString('base64');
      const start = Math.ceil((Buffer.byteLength(before) * 8) / 6);
      const end = Math.floor((Buffer.byteLength(before + secret) * 8) / 6);
      const redacted = redactText([secret], encoded);
      const hiddenAt = redacted.indexOf(hidden);
      // Up to two letters more, where the text before could be the backslash with which the secret starts in JSON.
      expect(start - hiddenAt).toBeOneOf([0, 1, 2]);
      expect(redacted.startsWith(encoded.slice(0, hiddenAt))).toBe(true);
      expect(redacted.length - hiddenAt - hidden.length).toBeLessThanOrEqual(encoded.length - end);
    }),
    { numRuns },
  );
}

/** Lines as `base64`, `openssl`, `xxd -p` and YAML print them. */
const lineForms: readonly (readonly [encoding: 'base64' | 'hex', width: number, lineEnd: string])[] = [
  ['base64', 76, '\n'],
  ['base64', 64, '\r\n'],
  ['hex', 60, '\n'],
  ['base64', 76, '\n    '],
  ['base64', 76, String.raw`\n`],
];
/** A secret, the encoded letters that it alone determines, and a text that holds them in lines. */
const wrapped = fc
  .tuple(secretOf(8), fc.string({ maxLength: 90, size: 'max' }), fc.string({ minLength: 90, maxLength: 120 }))
  .chain(([secret, before, after]) =>
    fc.constantFrom(...lineForms).map(([encoding, width, lineEnd]) => {
      const encoded = Buffer.from(before + secret + after).toString(encoding);
      const bits = encoding === 'hex' ? 4 : 6;
      const [start, end] = [before, before + secret].map((text) => (Buffer.byteLength(text) * 8) / bits);
      const letters = encoded.slice(Math.ceil(start ?? 0), Math.floor(end ?? 0));
      const lines = encoded.match(new RegExp(`.{1,${width}}`, 'g')) ?? [];
      return { secret, letters, text: `$ cat f | ${encoding}\n${lines.join(lineEnd)}\n$ ` };
    }),
  );

/** Checks that a secret is found in encoded lines, also in a stream that is cut anywhere. */
function checkLines(numRuns: number): void {
  fc.assert(
    fc.property(
      wrapped,
      fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }),
      ({ secret, letters, text }, sizes) => {
        const { text: redact, lines, stream } = redactor([secret], { replacement: '*' });
        const redacted = redact(text);
        expect(redacted.split('*')).toHaveLength(2);
        expect(redacted.replaceAll(/\\n|\s/g, '')).not.toContain(letters);
        expect(lines.text(text).match(/\n/g)).toEqual(text.match(/\n/g));
        const redacting = stream();
        expect(
          pieces(text, sizes)
            .map((piece) => redacting.push(piece))
            .join('') + redacting.end(),
        ).toBe(redacted);
      },
    ),
    { numRuns },
  );
}

const pieces = (text: string, sizes: readonly number[]): readonly string[] => {
  const result: string[] = [];
  for (let at = 0, turn = 0; at < text.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    result.push(text.slice(at, at + size));
    at += size;
  }
  return result;
};

/** Checks that a stream is redacted as its whole text, wherever it is cut. */
function checkStream(numRuns: number): void {
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
    { numRuns },
  );
}

/** Checks that other bytes in hex and base64 are unchanged. */
function checkOtherBytes(numRuns: number): void {
  const other = fc.uint8Array({ minLength: 40, maxLength: 300 });
  fc.assert(
    fc.property(secretOf(8), other, (secret, bytes) => {
      const buffer = Buffer.from(bytes);
      fc.pre(!buffer.includes(secret));
      expect(redactText([secret], buffer.toString('hex'))).toBe(buffer.toString('hex'));
      expect(redactText([secret], buffer.toString('base64'))).toBe(buffer.toString('base64'));
    }),
    { numRuns },
  );
}

/** Checks by title. `size` multiplies the number of secrets and texts that each tries. */
export function redactionChecks(size: number): readonly (readonly [title: string, check: () => void])[] {
  return [
    ...Object.entries(encoders).map(
      ([name, encode]) => [`a secret is found as ${name}`, () => checkEncoder(encode, 10 * size)] as const,
    ),
    ...Object.entries(byteEncoders).map(
      ([name, encode]) => [`a secret is found as ${name}`, () => checkByteEncoder(encode, 10 * size)] as const,
    ),
    ['a secret is found in the base64 of a text that holds it, at any byte', () => checkBase64OfText(60 * size)],
    ['a secret is found in encoded lines, also in a stream that is cut anywhere', () => checkLines(60 * size)],
    ['a stream is redacted as its whole text, wherever it is cut', () => checkStream(60 * size)],
    ['other bytes in hex and base64 are unchanged', () => checkOtherBytes(30 * size)],
  ];
}
