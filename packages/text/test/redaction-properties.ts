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
const inLines = (text: string, columns: number, end: string): string =>
  text.replaceAll(new RegExp(`.{${columns}}(?=.)`, 'g'), `$&${end}`);

/** The encoders of other programs. */
export const encoders: Readonly<Record<string, (secret: string) => string>> = {
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
  'JSON in a component of a URL': (secret) => encodeURIComponent(quoted(secret)),
  'JSON in HTML': (secret) => quoted(secret).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
  'single quotes of a shell': (secret) => secret.replaceAll("'", String.raw`'\''`),
  'single quotes of a shell by Python': (secret) => secret.replaceAll("'", `'"'"'`),
  'double quotes of a shell': (secret) => secret.replaceAll(/["$\\`]/g, String.raw`\$&`),
  'backslashes of a shell': (secret) => secret.replaceAll(/[ !"#$&'()*,;<>?[\]^`{|}~\\]/g, String.raw`\$&`),
  'ANSI-C quotes of a shell': (secret) =>
    secret
      .replaceAll(/['\\]/g, String.raw`\$&`)
      .replaceAll('\n', String.raw`\n`)
      .replaceAll('\r', String.raw`\r`)
      .replaceAll('\t', String.raw`\t`)
      .replaceAll(/[^ -~]/gu, (unit) => Buffer.from(unit).reduce((text, byte) => text + octal(byte), '')),
  'bytes of Python': (secret) =>
    secret.replaceAll(/['\\]/g, String.raw`\$&`).replaceAll(/[^ -~]/gu, (unit) =>
      Buffer.from(unit)
        .toString('hex')
        .replaceAll(/../g, String.raw`\x$&`),
    ),
  'quotes of YAML and SQL': (secret) => secret.replaceAll("'", "''"),
  'quotes of CSV': (secret) => secret.replaceAll('"', '""'),
  'quoted-printable': (secret) =>
    secret.replaceAll(/[^ -<>-~]/gu, (unit) =>
      Buffer.from(unit).toString('hex').toUpperCase().replaceAll(/../g, '=$&'),
    ),
};

function octal(byte: number): string {
  return `\\${byte.toString(8).padStart(3, '0')}`;
}

/** Those of bytes, which need a secret of eight characters. */
export const byteEncoders: Readonly<Record<string, (secret: string) => string>> = {
  hex: (secret) => Buffer.from(secret).toString('hex'),
  'upper-case hex': (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
  'hex with blanks': (secret) => bytesOf(secret).join(' '),
  'hex with colons': (secret) => bytesOf(secret).join(':').toUpperCase(),
  'hex with hyphens': (secret) => bytesOf(secret).join('-'),
  'hex with commas': (secret) => bytesOf(secret).join(','),
  'hex with tabs': (secret) => bytesOf(secret).join('\t'),
  'hex with semicolons': (secret) => bytesOf(secret).join(';'),
  'hex, one byte per line': (secret) => bytesOf(secret).join('\n'),
  'hex in groups of two bytes': (secret) =>
    bytesOf(secret)
      .join('')
      .replaceAll(/.{4}(?=.)/g, '$& '),
  'hex in groups of four bytes': (secret) =>
    bytesOf(secret)
      .join('')
      .replaceAll(/.{8}(?=.)/g, '$& '),
  'hex in groups and lines': (secret) =>
    inLines(
      bytesOf(secret)
        .join('')
        .replaceAll(/.{4}(?=.)/g, '$& '),
      40,
      '\n',
    ),
  'hex in lines of 60': (secret) => inLines(bytesOf(secret).join(''), 60, '\n'),
  'hex in lines of 16 bytes': (secret) => inLines(bytesOf(secret).join(' '), 48, '\n'),
  'hex of C': (secret) => bytesOf(secret).join(', 0x'),
  'hex escapes': (secret) => bytesOf(secret).join('\\x'),
  'hex escapes in JSON': (secret) => bytesOf(secret).join('\\\\x'),
  'JSON escapes of each byte': (secret) => bytesOf(secret).join('\\u00'),
  'HTML numbers': (secret) => bytesOf(secret).join(';&#x'),
  'percent for each byte': (secret) => bytesOf(secret).join('%'),
  'percent for each byte, upper case': (secret) => bytesOf(secret).join('%').toUpperCase(),
  'an array of bytes': (secret) => [...Buffer.from(secret)].join(','),
  'an array of bytes with blanks': (secret) => [...Buffer.from(secret)].join(', '),
  'HTML numbers in decimal': (secret) => `&#${Array.from(secret, (one) => one.codePointAt(0)).join(';&#')};`,
  'a JSON escape for each character': (secret) => `\\u${unitsOf(secret).join('\\u')}`,
  base64: (secret) => Buffer.from(secret).toString('base64'),
  base64url: (secret) => Buffer.from(secret).toString('base64url'),
  'base64 without padding': (secret) => Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  'base64 in JSON of PHP': (secret) =>
    Buffer.from(secret)
      .toString('base64')
      .replaceAll('/', String.raw`\/`),
  'base64 in a URL': (secret) => encodeURIComponent(Buffer.from(secret).toString('base64').replace(/=+$/, '')),
  'base64 in HTML': (secret) =>
    Buffer.from(secret).toString('base64').replaceAll('+', '&#43;').replaceAll('/', '&#x2F;'),
  'base64 of JSON': (secret) => Buffer.from(quoted(secret)).toString('base64'),
  'base64 of JSON of Python': (secret) => Buffer.from(escapedAs(lower, /[^ -~]/g)(secret)).toString('base64'),
  'base64 with other line ends': (secret) =>
    Buffer.from(secret.replaceAll(/\r?\n/g, '\r\n').replaceAll('\r\n', secret.includes('\r') ? '\n' : '\r\n')).toString(
      'base64',
    ),
  'base64 in lines': (secret) => inLines(Buffer.from(secret).toString('base64'), 64, '\n'),
  'base64 in short lines of JSON': (secret) => inLines(Buffer.from(secret).toString('base64'), 24, String.raw`\r\n`),
};

const unitsOf = (text: string): readonly string[] =>
  Array.from({ length: text.length }, (_, at) => text.charCodeAt(at).toString(16).padStart(4, '0'));

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
/** Secrets of at least `minLength` characters, with those that encoders escape. */
export const secretOf = (minLength: number) =>
  fc
    .array(fc.oneof(special, fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 4 })), {
      minLength,
      maxLength: 30,
    })
    .map((parts) => parts.join(''))
    .filter((secret) => secret.trim() === secret && secret.length >= minLength);
const around = fc.string({ unit: fc.constantFrom('§', ' ', '.', '\n', '語'), maxLength: 40 });

/** Checks that a secret is found in an encoding, between any texts. */
export function checkEncoder(encode: (secret: string) => string, numRuns: number): void {
  fc.assert(
    fc.property(secretOf(4), around, around, (secret, before, after) => {
      expect(redactText([secret], before + encode(secret) + after)).toBe(before + hidden + after);
    }),
    { numRuns },
  );
}

/** Checks that a secret is found in an encoding of bytes, between any texts. */
export function checkByteEncoder(encode: (secret: string) => string, numRuns: number): void {
  fc.assert(
    fc.property(secretOf(8), around, around, (secret, before, after) => {
      expect(redactText([secret], `${before}§${encode(secret)}§${after}`)).toBe(`${before}§${hidden}§${after}`);
    }),
    { numRuns },
  );
}

/** Checks that a secret is found in the base64 of a text that holds it, in lines of any length. */
export function checkBase64OfText(numRuns: number): void {
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
        const rest = redacted.replaceAll('\n', '');
        const hiddenAt = rest.indexOf(hidden);
        // Up to two letters more, where the text before could be the backslash with which the secret starts in JSON.
        expect(start - hiddenAt).toBeOneOf([0, 1, 2]);
        expect(rest.startsWith(encoded.slice(0, hiddenAt))).toBe(true);
        expect(rest.length - hiddenAt - hidden.length).toBeLessThanOrEqual(encoded.length - end);
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

/** Checks that a long secret without blanks is found in a text that was folded anywhere, and in quoted-printable. */
export function checkFolded(numRuns: number): void {
  const longSecret = fc
    .string({ unit: 'grapheme-ascii', minLength: 24, maxLength: 90 })
    .filter((text) => !/\s/.test(text));
  fc.assert(
    fc.property(longSecret, fc.integer({ min: 24, max: 80 }), fc.nat(79), (secret, columns, before) => {
      const start = '.'.repeat(before % columns);
      const folded = inLines(start + secret, columns, '\n');
      expect(redactText([secret], folded)).toBe(start + hidden);
      const printable = (start + secret)
        .replaceAll('=', '=3D')
        .replaceAll(new RegExp(`(?:=3D|[^=]){${columns}}(?=.)`, 'g'), '$&=\r\n');
      expect(redactText([secret], printable).length).toBeLessThanOrEqual(start.length + hidden.length + 3);
    }),
    { numRuns },
  );
}

/** Checks that a stream is redacted as its whole text, wherever it is cut. */
export function checkStream(numRuns: number): void {
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
export function checkOtherBytes(numRuns: number): void {
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
    { numRuns },
  );
}
