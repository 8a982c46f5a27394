import { createMistral } from '@ai-sdk/mistral';
import { userRequest } from '@varve/llm/testing';
import { expect, test } from 'vitest';
import { aiSdkModel } from '@varve/ai-sdk';
import { wireServer } from './wire-server.ts';

// Exchanges as https://docs.mistral.ai/capabilities/reasoning and /function_calling describe them.
test('ids have the form that the provider requires, and thoughts are sent back', async () => {
  const thinking = [{ type: 'text', text: 'Easy.' }];
  const message = {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking },
      { type: 'text', text: 'Yes.' },
    ],
    tool_calls: [{ id: 'D681PevKs', function: { name: 'look', arguments: '{"at": 1}' } }],
  };
  const chunk = {
    id: 'm1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'magistral-medium',
    choices: [{ index: 0, delta: message, finish_reason: 'tool_calls' }],
    usage: { prompt_tokens: 5, completion_tokens: 6, total_tokens: 11 },
  };
  await using server = await wireServer([{ events: [chunk] }, { events: [chunk] }]);
  const model = aiSdkModel(createMistral({ baseURL: server.url, apiKey: 'k' })('magistral-medium'));
  const tools = [{ name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } }];
  const request = userRequest('Look.', { tools });
  const reply = await model.generate(request);
  expect(reply).toMatchObject({
    message: { reasoning_content: 'Easy.', content: [{ text: 'Yes.' }], tool_calls: [{ arguments: '{"at": 1}' }] },
    usage: { input_tokens: 5, output_tokens: 6 },
  });
  const calls = [
    ...(reply.message.tool_calls ?? []),
    { id: 'toolu_01A', name: 'look', arguments: '{', origin: 'completion' },
  ];
  const results = calls.map(
    ({ id }) => ({ role: 'tool', tool_call_id: id, content: [], thinking_blocks: [] }) as const,
  );
  const messages = [
    ...request.messages,
    { ...reply.message, tool_calls: calls as typeof reply.message.tool_calls },
    ...results,
  ];
  await model.generate({ ...request, messages: messages as typeof request.messages });
  expect(server.bodies[1]).toMatchObject({
    messages: [
      { role: 'user' },
      {
        role: 'assistant',
        tool_calls: [
          { id: 'D681PevKs' },
          { id: expect.stringMatching(/^[a-z0-9]{9}$/), function: { arguments: '{"rawInvalidInput":"{"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'D681PevKs' },
      { role: 'tool', tool_call_id: expect.stringMatching(/^[a-z0-9]{9}$/) },
    ],
  });
});
