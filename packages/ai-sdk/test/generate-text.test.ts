import { languageModelOf } from '@varve/ai-sdk';
import { openaiChat } from '@varve/llm';
import { scriptedServer } from '@varve/llm/testing';
import { generateText, isStepCount, streamText, tool } from 'ai';
import { expect, test } from 'vitest';
import * as z from 'zod';

const weather = tool({
  description: 'Returns the weather.',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => `Rain in ${city}.`,
});

test('generateText calls a varve model with tools, and repeats what may be repeated', async () => {
  await using server = await scriptedServer([
    { error: { code: 'rate-limited', retryAfterMs: 1 } },
    { text: 'I look.', calls: [{ id: 'c1', name: 'weather', arguments: { city: 'Bergen' } }] },
    {
      text: 'It rains.',
      usage: { input_tokens: 9, output_tokens: 4, cache_read_tokens: 3, cache_write_tokens: 0, reasoning_tokens: 1 },
    },
  ]);
  const model = languageModelOf(openaiChat({ model: 'm', baseUrl: server.url }));
  const prompt = [{ role: 'user', content: [{ type: 'text', text: 'Weather?' }] }] as const;
  const { text, usage } = await generateText({
    model,
    instructions: 'Be brief.',
    messages: prompt.map((message) => ({ ...message, content: [...message.content] })),
    tools: { weather },
    stopWhen: isStepCount(3),
  });
  expect([text, usage.inputTokens, usage.outputTokens]).toEqual(['It rains.', 9, 4]);
  expect(server.requests.at(-1)?.request?.messages).toMatchObject([
    { role: 'system', content: [{ text: 'Be brief.' }] },
    { role: 'user', content: [{ text: 'Weather?' }] },
    { role: 'assistant', content: [{ text: 'I look.' }], tool_calls: [{ id: 'c1', arguments: '{"city":"Bergen"}' }] },
    { role: 'tool', tool_call_id: 'c1', content: [{ text: 'Rain in Bergen.' }] },
  ]);
});

test('streamText streams text and reasoning of a varve model', async () => {
  await using server = await scriptedServer([{ reasoning: 'Easy.', text: 'A long enough answer.' }]);
  const model = languageModelOf(openaiChat({ model: 'm', baseUrl: server.url }));
  const { stream, text, reasoningText, finishReason } = streamText({ model, prompt: 'Hi' });
  const parts = await Array.fromAsync(stream);
  expect(parts.filter(({ type }) => type === 'text-delta').length).toBeGreaterThan(1);
  expect([await text, await reasoningText, await finishReason]).toEqual(['A long enough answer.', 'Easy.', 'stop']);
});
