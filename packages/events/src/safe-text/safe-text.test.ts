import { expect, test } from 'vitest';
import { recentCharacters } from './recent-characters.ts';
import { revealHidden } from './reveal-hidden.ts';
import { safeJson, safeText } from './safe-text.ts';

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
  ['a\u000bb\u000cc\u0085d\u2029e', 'a\nb\nc\nd\ne'],
  ['a\u200e\u061c\ufeff\u{e0041}\ufff9b', 'ab'],
  ['\u202eabc\u2066d', 'abcd'],
  ['a\u0000\u0007\u007fb', 'ab'],
  ['\ud83ea', '\ufffda'],
  ['\u001b', ''],
  ['a\udb40\u0000\udc41b', 'a\ufffd\ufffdb'],
  ['a\udb40\u001b]0;x\u0007\udc41b', 'a\ufffd\ufffdb'],
  ['é 漢字 🦊', 'é 漢字 🦊'],
] as const)('%j is safe as %j', ([raw, safe]) => {
  expect(safeText(raw)).toBe(safe);
});

/** Every code point of the first plane, and of the others those of blocks with invisible characters. */
const codePoints = [
  [0, 0x10000],
  [0x1bc00, 0x1bd00],
  [0x1d100, 0x1d200],
  [0xe0000, 0xe1000],
].flatMap(([from = 0, to = 0]) => Array.from({ length: to - from }, (_, index) => from + index));

test('safe text has no control, format or separator character but the joiners, whatever the input', () => {
  const unsafe =
    /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u;
  const points = codePoints.filter((point) => {
    // With a letter after it, an escape character is a sequence, which ends before the space.
    const safe = safeText(`a${String.fromCodePoint(point)}b c`).replaceAll('\n', '');
    return unsafe.test(safe) || !safe.startsWith('a') || !safe.endsWith(' c');
  });
  expect(points).toEqual([]);
});

test('safe JSON is printable and has the same value, for every code point', () => {
  const points = codePoints.filter((point) => {
    const value = [`a${String.fromCodePoint(point)}b`];
    const safe = safeJson(JSON.stringify(value));
    return /[\p{C}\p{Zl}\p{Zp}]/u.test(safe) || (JSON.parse(safe) as string[])[0] !== value[0];
  });
  expect(points).toEqual([]);
});

test('safe JSON is one line, also of text that is not JSON', () => {
  expect(JSON.parse(safeJson('{\n\t"a": 1\r\n}'))).toEqual({ a: 1 });
  expect(safeJson('\u001b]0;x\u0007\nnext')).toBe(String.raw`\u001b]0;x\u0007 next`);
});

test('text between two lone surrogates makes no character of them, whatever it is', () => {
  const between = codePoints.map((point) => safeText(`\udb40${String.fromCodePoint(point)}\udc41`));
  expect(between.filter((text) => text.includes('\u{e0041}'))).toEqual([]);
});

const visible = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u;
const empty = /^[\u2d7f\p{Default_Ignorable_Code_Point}\u2800\u21e5]$/u;
const recent = new RegExp(`^[${recentCharacters}]$`, 'v');
const aboveFirstPlane = /^[\p{Emoji}\p{Extended_Pictographic}\p{Script=Han}]$/u;

/** Reports whether a character is, by definition, another one. */
function isCopy(character: string): boolean {
  const original = character.normalize('NFC');
  return original !== character && /^.$/su.test(original);
}

/** Returns how a person who must see all of it is shown a code point. */
function shownAs(code: number): string {
  const character = String.fromCodePoint(code);
  const isHidden = empty.test(character) || recent.test(character) || isCopy(character);
  const isLetter = visible.test(character) && !isHidden;
  const isSeen = isLetter && (code <= 0xffff || aboveFirstPlane.test(character));
  if (isSeen || character === ' ' || character === '\n') return character;
  return character === '\t' ? '⇥   ' : `<${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}

test('every code point is shown to a person who must see all of it, or replaced by its number', () => {
  const step = 0x1000;
  for (let start = 0; start <= 0x10_ff_ff; start += step) {
    const codes = Array.from({ length: step }, (_, index) => start + index);
    const text = codes.map((code) => `.${String.fromCodePoint(code)}.`).join('');
    const isEqual = revealHidden(text) === codes.map((code) => `.${shownAs(code)}.`).join('');
    const wrong = isEqual
      ? []
      : codes.filter((code) => revealHidden(`.${String.fromCodePoint(code)}.`) !== `.${shownAs(code)}.`);
    expect(wrong).toEqual([]);
    expect(isEqual).toBe(true);
  }
});

test('only characters of Unicode 9 are shown as they are: terminals omit those that they do not know', () => {
  const count = Array.from({ length: 0x11_00_00 }, (_, code) => shownAs(code)).filter(
    (rendered) => !/^[<⇥]./.test(rendered),
  );
  // The number of those in DerivedAge.txt without copies; `<` is shown as it is. A new version of Node may add some to
  // the list.
  expect(count).toHaveLength(108_385);
  expect(revealHidden('./build\u{1FA89} \u{1F970} \u{30000} \u088F')).toBe('./build<1FA89> <1F970> <30000> <088F>');
});

test.for([
  ['a<200B>', 'a\u200B'],
  ['<0020><E0041>', ' \u{E0041}\n'],
  ['a<0020>', 'a '],
  ['<003C>200B>', '<200B>'],
  ['<<200B>', '<\u200B'],
  ['⇥   a', '\ta'],
])('the text %j is not shown as %j', ([left = '', right = '']) => {
  expect(revealHidden(left)).not.toBe(revealHidden(right));
});

test.for([
  ['variation selectors', 'a\uFE0Fb\u{E0100}', 'a<FE0F>b<E0100>'],
  ['Hangul fillers', 'a\u115F\u1160\u3164\uFFA0', 'a<115F><1160><3164><FFA0>'],
  ['tags', 'a\u{E0072}\u{E006D}', 'a<E0072><E006D>'],
  ['blanks at the ends of lines', ' a b  \nc \n', ' a b<0020><0020>\nc<0020>\n'],
  ['copies of characters that a shell interprets', 'a\u037E \u1FEFb\u1FEF', 'a<037E> <1FEF>b<1FEF>'],
  ['a lone surrogate', 'a\uD83Eb', 'a<D83E>b'],
] as const)('%s do not hide', ([, raw, rendered]) => {
  expect(revealHidden(raw)).toBe(rendered);
});

/** Letters that are drawn like those of `aceopxyABCEHIKMOPTX`, in other alphabets. */
const alike = Array.from('асеорхуАВСЕНІКМОРТХοανΑΒΕΖΗΙΚΜΝΟΡΤΥΧոսօհᎪᏴᏟꓮꓐꓚⲟⲣ');

test('a letter of another alphabet in a Latin word is a number, and in a word of its own it is a letter', () => {
  const wrong = alike.filter((letter) => {
    const number = `<${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`;
    const apart = [`(${letter}1.com 1${letter}: ${letter})`, `${letter}_x.com x_${letter}`, `${letter}-x x/${letter}`];
    const together = revealHidden(`${letter}git.com git${letter}`) === `${number}git.com git${number}`;
    return !together || apart.some((words) => revealHidden(words) !== words);
  });
  expect([alike.length, wrong]).toEqual([48, []]);
});

/** Marks and vowels that take no column, so that a terminal draws them into the cell before them. */
const zeroWidth = Array.from({ length: 0x10000 }, (_, code) => String.fromCodePoint(code)).filter((character) =>
  /^(?:[\p{M}--\p{Default_Ignorable_Code_Point}]|[\u1161-\u11ff\ud7b0-\ud7c6\ud7cb-\ud7fb])$/v.test(character),
);

test('no character hides behind others in one cell: terminals keep few of them', () => {
  const cell = /[\p{M}\u1160-\u11ff\ud7b0-\ud7fb]{6}|[\p{Script=Inherited}\u1160-\u11ff\ud7b0-\ud7fb]{3}/v;
  const number = /<[\dA-F]{4,6}>/g;
  const wrong = zeroWidth.filter((mark, index) => {
    const marks = mark + (zeroWidth[(index * 7) % zeroWidth.length] ?? '') + mark.repeat(30);
    const revealed = revealHidden(`a${marks}b`);
    const read = revealed.replaceAll(number, (code) => String.fromCodePoint(Number.parseInt(code.slice(1), 16)));
    return cell.test(revealed) || read !== `a${marks}b`;
  });
  expect([zeroWidth.length > 1000, wrong]).toEqual([true, []]);
});

test.for([
  ['Russian', 'Привет, git: файл.txt, отчет_v2-final_2024.docx, фича/oauth2'],
  ['Greek', 'Καλημέρα 5 km'],
  ['Vietnamese', 'Tie\u0302\u0301ng Vie\u0323\u0302t'],
  ['Korean', '\u1112\u1161\u11ab\u1100\u1173\u11af'],
  ['Hebrew', 'שָׁל֣וֹם'],
  ['Hindi', 'हिन्दी'],
  ['Thai', 'ที่นี่'],
  ['Burmese', 'မြန်မာဘာသာ'],
  ['emoji', '🦊👍🏽 漢𠮷'],
] as const)('%s stays as it is', ([, text]) => {
  expect(revealHidden(text)).toBe(text);
});

/** Beginnings and endings of what the functions look for, of which texts of any length can be made. */
const repeated = [
  ' ',
  ' \n',
  '\u001B',
  '\u001B]',
  '\u001B[',
  '\u001B[0;',
  '\u001B ',
  '\u009B',
  '\u009B0',
  '\u001BP\u0000',
  '\r',
];

test.for(repeated)('a text of many %j takes linear time', (part) => {
  const text = `${part.repeat(200_000 / part.length)}aab`;
  for (const safe of [safeText, safeJson, revealHidden]) expect(safe(text).endsWith('b')).toBe(true);
});

test.for(['漢', 'а', 'aа'])('a word of six million characters as %j is shown', (part) => {
  expect(revealHidden(part.repeat(6_000_000 / part.length)).length).toBeGreaterThanOrEqual(6_000_000);
});

test.for([9, 999, 9999])('a foreign letter after %i Latin ones is a number, and before them', (count) => {
  const letters = 'a'.repeat(count);
  expect(revealHidden(`${letters}а, ${letters}`)).toBe(`${letters}<0430>, ${letters}`);
  expect(revealHidden(`(а${letters})`)).toBe(`(<0430>${letters})`);
  const russian = 'а'.repeat(count);
  expect(revealHidden(`${russian} ${russian}a`)).toBe(`${russian} ${'<0430>'.repeat(count)}a`);
});
