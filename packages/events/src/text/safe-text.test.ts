import { expect, test } from 'vitest';
import { revealHidden, safeText } from './safe-text.ts';

test.for([
  ['a\u001b[31mb\u001b[0mc', 'abc'],
  ['\u001b]0;title\u0007x', 'x'],
  ['\u001b]8;;http://a\u001b\\link', 'link'],
  ['\u001bPq...\u001b\\x', 'x'],
  ['\u001b(Bx', 'x'],
  ['\u001b]0;no end', '0;no end'],
  ['\u001bP\u001b[31mno end', 'no end'],
  ['\u009b2Jx', 'x'],
  ['a\r\nb\rc\u2028d', 'a\nb\nc\nd'],
  ['a\tb', 'a    b'],
  ['\u202eabc\u2066d', 'abcd'],
  ['a\u0000\u0007\u007fb', 'ab'],
  ['\ud83ea', '\ufffda'],
  ['\u001b', ''],
  ['é 漢字 🦊', 'é 漢字 🦊'],
] as const)('%j is safe as %j', ([raw, safe]) => {
  expect(safeText(raw)).toBe(safe);
});

const visible = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u;
const empty = /^[\p{Default_Ignorable_Code_Point}\u2800]$/u;

test('every code point is shown to a person who must see all of it, or replaced by its number', () => {
  const wrong: string[] = [];
  for (let code = 0; code <= 0x10_ff_ff; code += 1) {
    const character = String.fromCodePoint(code);
    const isShown = character === ' ' || character === '\n' || (visible.test(character) && !empty.test(character));
    const number = `<${code.toString(16).toUpperCase().padStart(4, '0')}>`;
    const expected = isShown ? character : character === '\t' ? '⇥   ' : number;
    if (revealHidden(`a${character}b`) !== `a${expected}b`) wrong.push(number);
  }
  expect(wrong).toEqual([]);
});

test.for([
  ['variation selectors', 'a\uFE0Fb\u{E0100}', 'a<FE0F>b<E0100>'],
  ['Hangul fillers', 'a\u115F\u1160\u3164\uFFA0', 'a<115F><1160><3164><FFA0>'],
  ['tags', 'a\u{E0072}\u{E006D}', 'a<E0072><E006D>'],
  ['blanks at the ends of lines', ' a b  \nc \n', ' a b<0020><0020>\nc<0020>\n'],
  ['a lone surrogate', 'a\uD83Eb', 'a<D83E>b'],
] as const)('%s do not hide', ([, raw, shown]) => {
  expect(revealHidden(raw)).toBe(shown);
});
