import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapeControls } from './escape-controls.ts';

test('raw control characters inside strings become escapes', () => {
  expect(JSON.parse(escapeControls('{"a": "one\ntwo\tthree\u0000"}'))).toEqual({ a: 'one\ntwo\tthree\u0000' });
});

test('line feeds between tokens stay, and escaped quotes do not end a string', () => {
  expect(JSON.parse(escapeControls('{\n"a": "say \\"hi\\"\n", "b": "\\\\"\n}'))).toEqual({ a: 'say "hi"\n', b: '\\' });
});

test('valid JSON keeps its value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(escapeControls(JSON.stringify(value, undefined, 2)))).toEqual(
        JSON.parse(JSON.stringify(value)),
      );
    }),
  );
});

/** ASCII half of the time. The unit `binary` of fast-check takes a second to build. */
const unit = fc.oneof(fc.nat({ max: 0x7f }), fc.nat({ max: 0xffff })).map((code) => String.fromCharCode(code));

test('any string survives being sent with raw control characters', () => {
  fc.assert(
    fc.property(fc.string({ unit }), (value) => {
      const raw = JSON.stringify({ value })
        .replaceAll(String.raw`\n`, '\n')
        .replaceAll(String.raw`\t`, '\t');
      fc.pre(!/\\\\[nt]/.test(JSON.stringify({ value })));
      expect(JSON.parse(escapeControls(raw))).toEqual({ value });
    }),
  );
});
