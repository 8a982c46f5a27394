import fc from 'fast-check';
import { expect } from 'vitest';
import { redactor } from '../src/redaction/redactor.ts';

/** How a program prints one line of a dump. */
interface Line {
  readonly address: number;
  readonly bytes: readonly string[];
  readonly characters: string;
}

const hex = (address: number): string => address.toString(16).padStart(8, '0');
const octal = (address: number): string => address.toString(8).padStart(7, '0');
const grouped = (bytes: readonly string[], size: number): string =>
  bytes
    .join('')
    .match(new RegExp(`.{1,${2 * size}}`, 'g'))
    ?.join(' ') ?? '';

/** Programs, with the number of bytes in a line. */
const programs: readonly (readonly [number, (line: Line) => string])[] = [
  ...[1, 2, 4].flatMap((group) =>
    [8, 16, 32].map((columns) => {
      const width = grouped(
        Array.from({ length: columns }, () => '00'),
        group,
      ).length;
      const xxd = ({ address, bytes, characters }: Line) =>
        `${hex(address)}: ${grouped(bytes, group).padEnd(width)}  ${characters}`;
      return [columns, xxd] as const;
    }),
  ),
  [
    16,
    ({ address, bytes, characters }) => {
      const halves = `${bytes.slice(0, 8).join(' ')}  ${bytes.slice(8).join(' ')}`;
      return `${hex(address)}  ${halves.padEnd(48)}  |${characters}|`;
    },
  ],
  [16, ({ address, bytes }) => `${octal(address)} ${bytes.join(' ')}`],
  [16, ({ address, bytes, characters }) => `${octal(address)} ${bytes.join(' ').padEnd(47)}  >${characters}<`],
];

function dumpOf(text: string, columns: number, lineOf: (line: Line) => string): string {
  const data = Buffer.from(text);
  const lines = Array.from({ length: Math.ceil(data.length / columns) }, (_, at) => {
    const bytes = [...data.subarray(at * columns, (at + 1) * columns)];
    return lineOf({
      address: at * columns,
      bytes: bytes.map((byte) => byte.toString(16).padStart(2, '0')),
      characters: bytes.map((byte) => (byte > 31 && byte < 127 ? String.fromCharCode(byte) : '.')).join(''),
    });
  });
  return `${lines.join('\n')}\n`;
}

/** Checks that no part of a secret remains in the dump of a text, also where the dump arrives in pieces. */
export function checkDumps(numRuns: number): void {
  const around = fc.string({ unit: fc.constantFrom('§', ' ', '.', '\n', '|', '0', 'z'), maxLength: 40 });
  const secretOf = fc.string({ unit: fc.constantFrom(...'abcXYZ159-_+/=|<>:'.split('')), minLength: 8, maxLength: 70 });
  const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(
      fc.constantFrom(...programs),
      secretOf,
      around,
      around,
      sizes,
      ([columns, lineOf], secret, before, after, steps) => {
        const { text, stream } = redactor([secret], { replacement: '█' });
        const dump = dumpOf(before + secret + after, columns, lineOf);
        const redacted = text(dump);
        expect(redacted).toContain('█');
        const parts = Array.from({ length: secret.length - 5 }, (_, at) => secret.slice(at, at + 6));
        expect(parts.filter((part) => redacted.includes(part) && !(before + after).includes(part))).toEqual([]);
        const redacting = stream();
        let streamed = '';
        for (let at = 0, turn = 0; at < dump.length; turn += 1) {
          const size = steps[turn % steps.length] ?? 1;
          streamed += redacting.push(dump.slice(at, at + size));
          at += size;
        }
        expect(streamed + redacting.end()).toBe(redacted);
      },
    ),
    { numRuns },
  );
}
