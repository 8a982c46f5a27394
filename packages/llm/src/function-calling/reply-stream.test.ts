import { text, type Message } from '@varve/events';
import { expect, test } from 'vitest';
import type { Delta } from '../delta.ts';
import { ReplyStream } from './reply-stream.ts';

/** Returns the emitted text after each delta, and at the end of the given message. */
function collect(pieces: readonly string[], message: Partial<Message>) {
  const state = { text: '', reasoning: '', resets: 0 };
  const steps: string[] = [];
  const stream = new ReplyStream((delta: Delta) => {
    if (delta.kind === 'reset') Object.assign(state, { text: '', reasoning: '', resets: state.resets + 1 });
    if (delta.kind === 'text' || delta.kind === 'reasoning') state[delta.kind] += delta.text;
  });
  for (const piece of pieces) {
    stream.push({ kind: 'text', text: piece });
    steps.push(`${state.reasoning}|${state.text}`);
  }
  stream.end({ role: 'assistant', content: [], thinking_blocks: [], ...message });
  return { ...state, steps };
}

test('reasoning is streamed without its tags and the space around them', () => {
  const pieces = ['\n<thi', 'nk>\nOne ', 'two <', 'b.\n', '</thi', 'nk>\n\nSa', 'id'];
  const { steps, ...end } = collect(pieces, { content: [text('Said')], reasoning_content: 'One two <b.' });
  expect(steps).toEqual([
    '|',
    'One|',
    'One two|',
    'One two <b.|',
    'One two <b.|',
    'One two <b.|Sa',
    'One two <b.|Said',
  ]);
  expect(end).toEqual({ text: 'Said', reasoning: 'One two <b.', resets: 0 });
});

test('text is streamed past a fence without a call', () => {
  const pieces = ['So:\n``', '`ts\n', 'const a', ' = 1;\n```\n', 'Done.'];
  const { steps, resets } = collect(pieces, { content: [text(pieces.join(''))] });
  expect(steps.map((step) => step.slice(1))).toEqual([
    'So:',
    'So:',
    'So:\n```ts\nconst a',
    'So:\n```ts\nconst a = 1;',
    pieces.join(''),
  ]);
  expect(resets).toBe(0);
});

test.for([
  ['a call', ['I look.\n\n<func', 'tion=', 'look>\n']],
  ['a wrapper', ['I look.\n<tool_', 'call>\n<function=look>\n']],
  ['a fence around a call', ['I look.\n\n```x', 'ml\n', '<', 'function=look>\n', '</function>\n```']],
] as const)('what may be %s is held back with the space before it', ([, pieces]) => {
  const { steps, resets } = collect(pieces, { content: [text('I look.')] });
  expect(new Set(steps)).toEqual(new Set(['|I look.']));
  expect(resets).toBe(0);
});

test.for([
  ['thinking', '<think>a', 'word '],
  ['white space', 'a', '\n'],
  ['white space after a fence', '```\n', ' '],
  ['a line after a fence', '```', 'x'],
  ['a call', '<function=look>', 'x'],
])('a stream of %s is read in one pass', ([, begin = '', piece = '']) => {
  const { resets } = collect([begin, ...Array.from({ length: 100_000 }, () => piece)], {});
  expect(resets).toBeLessThan(2);
});
