import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Dialect } from '../dialects/dialect.ts';
import { thinkTags } from './think-tags.ts';

interface Separated {
  readonly text: string;
  readonly reasoning: string;
}

function separate(pieces: readonly string[], mode: Dialect['thinkTags'] = 'leading'): Separated {
  const tags = thinkTags(mode);
  const all = [...pieces.flatMap((piece) => tags.push(piece)), ...tags.end()];
  const joined = (kind: 'text' | 'reasoning'): string =>
    all
      .filter((piece) => piece.kind === kind)
      .map(({ text }) => text)
      .join('');
  return { text: joined('text'), reasoning: joined('reasoning') };
}

type Row = readonly [input: string, reasoning: string, text: string, mode?: Dialect['thinkTags']];

const rows: readonly Row[] = [
  ['Hello.', '', 'Hello.'],
  ['<think>Hm.</think>\n\nHello.', 'Hm.', 'Hello.'],
  ['\n <think>\nHm.\n</think>Hello.', 'Hm.\n', 'Hello.'],
  ['<thinking>a < b</thinking>x', 'a < b', 'x'],
  ['<reasoning></reasoning>x', '', 'x'],
  ['<think>\n\n</think>\n\nHello.', '', 'Hello.'],
  ['<think>never closed', 'never closed', ''],
  ['<think>a</think><think>b</think>c', 'ab', 'c'],
  ['<think>a</thinking></think>b', 'a</thinking>', 'b'],
  ['Use <think> tags.', '', 'Use <think> tags.'],
  ['```\n<think>x</think>\n```', '', '```\n<think>x</think>\n```'],
  ['<think>a</think>Use <think>b</think>.', 'a', 'Use <think>b</think>.'],
  ['<thin', '', '<thin'],
  ['<thin air>', '', '<thin air>'],
  ['  \n', '', '  \n'],
  ['<think>a</think>\n', 'a', ''],
  ['Hm.</think>Hello.', 'Hm.', 'Hello.', 'opened'],
  ['never closed', 'never closed', '', 'opened'],
  ['<think>a</think>b', '', '<think>a</think>b', 'never'],
];

describe('text', () => {
  test.for(rows)('%j has the reasoning %j and the text %j', ([input, reasoning, text, mode]) => {
    expect(separate([input], mode)).toEqual({ reasoning, text });
    expect(separate(input.split(''), mode)).toEqual({ reasoning, text });
  });
});

test('long repetitive text is read in linear time', () => {
  const many = 200_000;
  expect(separate(Array.from({ length: many }, () => '\n'))).toEqual({ reasoning: '', text: '\n'.repeat(many) });
  expect(separate(['<think>a</think>'.repeat(many / 10)])).toEqual({ reasoning: 'a'.repeat(many / 10), text: '' });
});

const fragments = fc.array(
  fc.constantFrom('<think>', '</think>', '<thinking>', '</thinking>', '<', '/', 'think', ' ', '\n', 'a', '😀'),
);
const modes = fc.constantFrom<Dialect['thinkTags'][]>('never', 'leading', 'opened');

function bare(text: string): string {
  return text.replaceAll(/<\/?think(?:ing)?>|\s/g, '');
}

test('the cuts between pieces make no difference, and only tags and white space are lost', () => {
  fc.assert(
    fc.property(fragments, fc.array(fc.nat(200)), modes, (parts, places, mode) => {
      const whole = parts.join('');
      const at = [...new Set(places.map((place) => place % (whole.length + 1)))].toSorted((a, b) => a - b);
      const pieces = [...at, whole.length].map((end, index) => whole.slice(at[index - 1] ?? 0, end));
      const result = separate(pieces, mode);
      expect(result).toEqual(separate([whole], mode));
      expect(bare(result.reasoning + result.text)).toBe(bare(whole));
    }),
  );
});
