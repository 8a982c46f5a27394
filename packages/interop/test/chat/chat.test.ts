import fc from 'fast-check';
import { expect, test } from 'vitest';
import { activeBranch } from '../../src/index.ts';
import { chatFormat } from '../../src/chat/chat-format.ts';
import { readChat } from '../../src/chat/read-chat.ts';
import { writeChat } from '../../src/chat/write-chat.ts';
import { countedIds, filesOf } from '../fixture.ts';

const call = (id: string, written = '{"a":1}') => ({
  id,
  type: 'function',
  function: { name: 'look', arguments: written },
});

const chat = {
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'What is in a.txt?' },
    { role: 'assistant', content: 'I look.', tool_calls: [call('c1'), call('c2')] },
    { role: 'tool', content: 'One.', tool_call_id: 'c1' },
    { role: 'tool', content: 'Two.', tool_call_id: 'c2' },
    { role: 'assistant', content: 'One and two.' },
  ],
  tools: [{ type: 'function', function: { name: 'look', description: 'Looks.', parameters: { type: 'object' } } }],
};

const read = (value: object) => readChat(value as Readonly<Record<string, unknown>>, { newId: countedIds() });

async function exported(value: object) {
  const { events } = await activeBranch(read(value).entries);
  return writeChat(events).chat;
}

test('a chat that was read is written as it was', async () => {
  expect(await exported(chat)).toEqual(chat);
});

test('a chat becomes a prompt, messages, calls and results', () => {
  expect(read(chat).entries.map(({ kind }) => kind)).toEqual([
    'SystemPromptEvent',
    'MessageEvent',
    'ActionEvent',
    'ActionEvent',
    'ObservationEvent',
    'ObservationEvent',
    'MessageEvent',
  ]);
});

const words = fc.stringMatching(/^[a-z]{1,8}( [a-z]{1,8}){0,3}$/);
const turn = fc.record({
  question: words,
  calls: fc.array(fc.record({ spoken: words, result: words, both: fc.boolean() }), { maxLength: 3 }),
  answer: words,
});

test('every legal chat is written as it was read', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 5 }), async (turns) => {
      let count = 0;
      const messages = turns.flatMap(({ question, calls, answer }) => [
        { role: 'user', content: question },
        ...calls.flatMap(({ spoken, result, both }) => {
          const ids = both ? [`c${count++}`, `c${count++}`] : [`c${count++}`];
          return [
            { role: 'assistant', content: spoken, tool_calls: ids.map((id) => call(id, JSON.stringify({ spoken }))) },
            ...ids.map((id) => ({ role: 'tool', content: result, tool_call_id: id })),
          ];
        }),
        { role: 'assistant', content: answer },
      ]);
      expect(await exported({ messages })).toEqual({ messages });
    }),
    { numRuns: 40 },
  );
});

test('older and other forms are read, and what has no place is reported', async () => {
  const log = read({
    messages: [
      { role: 'developer', content: [{ type: 'text', text: 'Be brief.' }], weight: 0 },
      { role: 'assistant', content: null, function_call: { name: 'look', arguments: '{}' } },
      { role: 'function', name: 'look', content: 'Done.' },
      { role: 'system', content: 'Later.' },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }] },
      { role: 'tool', content: 'Lost.', tool_call_id: 'nowhere' },
      { role: 'critic', content: '?' },
      'text',
    ],
    temperature: 0,
  });
  expect(log.problems.map(({ place }) => place)).toEqual(['message 5', 'message 6', 'message 7']);
  expect(log.dropped.map(({ subject }) => subject)).toEqual(['message.weight', 'message.name', 'temperature']);
  const { events } = await activeBranch(log.entries);
  expect(writeChat(events).chat.messages).toMatchObject([
    { role: 'system', content: 'Be brief.' },
    { role: 'assistant', content: null, tool_calls: [{ id: 'look' }] },
    { role: 'tool', content: 'Done.', tool_call_id: 'look' },
    { role: 'user', content: [{ text: 'Later.' }, { image_url: { url: 'data:image/png;base64,AA==' } }] },
  ]);
});

test.for<readonly [string, string, number]>([
  ['two lines', `${JSON.stringify(chat)}\n${JSON.stringify(chat)}\n`, 2],
  ['a broken line', `${JSON.stringify(chat)}\n{"messages":\n`, 1],
  ['a request', JSON.stringify({ model: 'm', ...chat }, undefined, 2), 1],
  ['a list of messages', JSON.stringify(chat.messages, undefined, 2), 1],
])('a file with %s is recognised and read', async ([, text, count]) => {
  const files = filesOf('data.jsonl', { 'data.jsonl': text });
  expect(await chatFormat.matches?.(files)).toBe(true);
  expect(await chatFormat.read?.(files, { newId: countedIds() })).toHaveLength(count);
});

test('a file without messages is refused', async () => {
  const files = filesOf('data.json', { 'data.json': '{"model":"m"}' });
  await expect(chatFormat.read?.(files, { newId: countedIds() })).rejects.toMatchObject({ code: 'invalid' });
});
