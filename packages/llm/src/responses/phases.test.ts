import { expect, test } from 'vitest';
import { scriptedResponses, userRequest, type ScriptedStep } from '../testing/index.ts';
import { openaiResponses } from './openai-responses.ts';

const messageItem = (text: string, phase: string) => ({
  type: 'message',
  role: 'assistant',
  phase,
  content: [{ type: 'output_text', text }],
});

test('a message with a phase is sent back with it, whole or streamed', async () => {
  const output = [messageItem('I look.', 'commentary'), messageItem('Found.', 'final_answer')];
  const body = { id: 'r', status: 'completed', output };
  const events = [
    ...output.map((item, output_index) => ({ type: 'response.output_item.done', output_index, item })),
    { type: 'response.completed', response: { ...body, output: [] } },
  ];
  const stream = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  const streamed: ScriptedStep = {
    fault: { kind: 'answer', headers: { 'content-type': 'text/event-stream' }, body: stream },
  };
  await using server = await scriptedResponses([{ fault: { kind: 'answer', body } }, streamed, { text: 'Done.' }]);
  const model = openaiResponses({ model: 'm', baseUrl: server.url });
  const request = userRequest('Hi');
  const { message } = await model.generate(request);
  const again = await model.generate(request, { onDelta: () => undefined });
  expect(again.message).toEqual(message);
  await model.generate({ ...request, messages: [...request.messages, message, ...request.messages] });
  const sent = JSON.parse(server.requests[2]?.text ?? '{}') as { readonly input?: unknown };
  expect(sent.input).toMatchObject([
    { role: 'user' },
    { role: 'assistant', phase: 'commentary', content: [{ text: 'I look.' }] },
    { role: 'assistant', phase: 'final_answer', content: [{ text: 'Found.' }] },
    { role: 'user' },
  ]);
});
