import type { Message } from '@varve/events';
import { expect, test } from 'vitest';
import { scriptedModel, userRequest } from '../testing/index.ts';
import { omitReasoning } from './omit-reasoning.ts';

const items = [
  { type: 'reasoning', summary: ['In short.'] },
  { type: 'function_call', call_id: 'c1' },
];
const extra = {
  origin: 'x',
  reasoning_details: [{ text: 'In detail.' }],
  extra_content: 'sig',
  responses_items: items,
};
const reply: Message = {
  role: 'assistant',
  content: [{ cache_prompt: false, type: 'text', text: 'I look.' }],
  reasoning_content: 'First.',
  thinking_blocks: [{ type: 'thinking', thinking: 'Signed.', signature: 's' }],
  responses_reasoning_item: { id: 'r', summary: ['In short.'] },
  tool_calls: [{ id: 'c1', name: 'look', arguments: '{}', origin: 'completion', extra }],
  extra,
};

test('of a reply, its words, its calls and the signatures of calls are sent, and the same object each time', async () => {
  const model = scriptedModel([{ text: 'a' }, { text: 'b' }]);
  const wrapped = omitReasoning()(model);
  const request = { ...userRequest('Hi'), messages: [reply] };
  await wrapped.generate(request);
  await wrapped.generate(request);
  const [sent, again] = model.requests.map(({ messages }) => messages[0]);
  const plain = { origin: 'x', extra_content: 'sig', responses_items: [items[1]] };
  expect(sent).toEqual({
    role: 'assistant',
    content: reply.content,
    thinking_blocks: [],
    tool_calls: [{ id: 'c1', name: 'look', arguments: '{}', origin: 'completion', extra: plain }],
    extra: plain,
  });
  expect(again).toBe(sent);
});
