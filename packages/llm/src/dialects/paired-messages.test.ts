import { text, type Message } from '@varve/events';
import { checkMessages } from '@varve/events/projections';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pairMessages } from './paired-messages.ts';

function messageOf(role: Message['role'], words: string, fields: Partial<Message> = {}): Message {
  return { role, content: [text(words)], thinking_blocks: [], ...fields };
}

function calling(...ids: readonly string[]): Message {
  const calls = ids.map((id) => ({ id, name: 'grep', arguments: '{}', origin: 'completion' as const }));
  return messageOf('assistant', 'Looking.', { tool_calls: calls });
}

const result = (id: string, words = id): Message => messageOf('tool', words, { tool_call_id: id, name: 'grep' });

function shape(messages: readonly Message[]): readonly string[] {
  return messages.map(({ role, tool_calls: calls, tool_call_id: id }) =>
    [role, ...(calls ?? []).map((call) => call.id), id].filter(Boolean).join(' '),
  );
}

test.for<readonly [string, readonly Message[], readonly string[]]>([
  ['a missing result is made up', [calling('a', 'b'), result('b')], ['assistant a b', 'tool a', 'tool b']],
  ['a result without a call is dropped', [messageOf('user', 'Hi'), result('z')], ['user']],
  ['a second result is left out', [calling('a'), result('a'), result('a')], ['assistant a', 'tool a']],
  [
    'results move to their calls',
    [calling('a'), messageOf('user', 'Hm'), result('a')],
    ['assistant a', 'tool a', 'user'],
  ],
  [
    'results take the order of their calls',
    [calling('a', 'b'), result('b'), result('a')],
    ['assistant a b', 'tool a', 'tool b'],
  ],
  [
    'a repeated id becomes another, in calls and results',
    [calling('a'), result('a'), calling('a'), result('a')],
    ['assistant a', 'tool a', 'assistant a_2', 'tool a_2'],
  ],
  [
    'a call does not take the result of a later one',
    [calling('a'), calling('a'), result('a', 'of the second')],
    ['assistant a', 'tool a', 'assistant a_2', 'tool a_2'],
  ],
])('%s', ([, messages, expected]) => {
  expect(shape(pairMessages(messages))).toEqual(expected);
});

test('existing results are kept, and a created one states that it is missing', () => {
  const [, a, b] = pairMessages([calling('a', 'b'), result('b', 'found')]);
  expect(a?.content).toEqual([text('This call has no result: it was interrupted.')]);
  expect(b?.content).toEqual([text('found')]);
});

function others(messages: readonly Message[]): readonly string[] {
  return messages.map(({ role }) => role).filter((role) => role !== 'tool');
}

const anyMessages = fc.array(
  fc.oneof(
    fc.subarray(['a', 'b', 'c'], { minLength: 1 }).map((ids) => calling(...ids)),
    fc.constantFrom('a', 'b', 'c', 'z').map((id) => result(id)),
    fc.constant(messageOf('user', 'Continue.')),
  ),
  { maxLength: 12 },
);

test('any history becomes legal, and pairing it again changes nothing', () => {
  fc.assert(
    fc.property(anyMessages, (messages) => {
      const paired = pairMessages(messages);
      const problems = checkMessages(paired).filter((problem) => !problem.includes('user message after'));
      expect(problems).toEqual([]);
      expect(pairMessages(paired)).toBe(paired);
      expect(others(paired)).toEqual(others(messages));
    }),
    { numRuns: 300 },
  );
});
