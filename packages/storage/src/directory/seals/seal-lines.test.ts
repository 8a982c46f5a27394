import { array, assert, constantFrom, integer, oneof, property, record } from 'fast-check';
import { expect, test, vi } from 'vitest';
import { parseSealLines, sealedPart, sealLinesText, sealsHeader } from './seal-lines.ts';

const seal = (seq: number, digit = 'a'): string => `{"seq":${seq},"seal":"${digit.repeat(64)}"}`;

/** Lines in forms that JSON reads and this package does not write, and those that it does not read. */
const oddForms: readonly ((line: string) => string)[] = [
  (line) => line.replaceAll('":', '": '),
  (line) => `${line}\r`,
  (line) => ` ${line}`,
  (line) => `\u2028${line}`,
  (line) => line.slice(0, -3),
  (line) => line.replace('"seq":', '"seq":0'),
  (line) => line.replace('{', '{"format":"varve-seals",'),
  (line) => line.replace('{', '{"kind":"checkpoint",'),
  (line) => line.replace('{', '{"kind":"cut","cause":"repaired","end":9,"at":1,'),
  (line) => line.replace(/"seal".*$/, '"end":9,"kind":"cut","cause":"repaired","at":1}'),
  (line) => line.replace(/\{"seq":(\d+).*$/, '{"void":$1}'),
  (line) => line.replace(/\{"seq":(\d+).*$/, String.raw`{"kind":"x","\u0076oid":$1}`),
  () => '',
  () => sealsHeader.trimEnd(),
];
const seqs = integer({ min: 0, max: 6 });
const odd = record({ seq: seqs, digit: constantFrom('a', 'b'), form: constantFrom(...oddForms) });
const insertion = record({
  at: integer({ min: 0, max: 9 }),
  line: odd.map(({ seq, digit, form }) => form(seal(seq, digit))),
});
const repeated = record({ at: integer({ min: 0, max: 9 }), line: seqs.map((seq) => seal(seq, 'b')) });

test('the sealed part is that of the parsed lines, whatever lines the file has', () => {
  let parsed = 0;
  assert(
    property(seqs, array(oneof(insertion, repeated), { maxLength: 3 }), constantFrom('', '\n'), (head, others, end) => {
      const lines = [sealsHeader.trimEnd(), ...Array.from({ length: head }, (_, seq) => seal(seq))];
      for (const { at, line } of others) lines.splice(at, 0, line);
      const text = `${lines.join('\n')}${end}`;
      const { events, last } = parseSealLines(text);
      const gap = events.filter((event) => event.seal !== undefined).findIndex(({ seq }, index) => seq !== index);
      if (gap !== -1) parsed += 1;
      expect(sealedPart(text)).toEqual({ last, ...(gap !== -1 && { gap }) });
    }),
    { numRuns: 1000 },
  );
  expect(parsed).toBeGreaterThan(50);
});

test('a file that this package wrote is not parsed', () => {
  using parse = vi.spyOn(JSON, 'parse');
  const statement = { kind: 'cut', seq: 1, end: 2, cause: 'found', at: 1 } as const;
  const text = sealLinesText([{ seq: 0, seal: 'a'.repeat(64) }, statement, { seq: 1, seal: 'b'.repeat(64) }]);
  expect(sealedPart(`${sealsHeader}${text}`)).toEqual({ last: { seq: 1, seal: 'b'.repeat(64) } });
  expect(parse).not.toHaveBeenCalled();
});
