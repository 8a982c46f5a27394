// Calls a model over HTTP. The server is scripted; a real one differs only in address, model name and key.
import { text } from '@varve/events';
import { LlmError, openaiChat, retry } from '@varve/llm';
import { scriptedServer } from '@varve/llm/testing';

await using server = await scriptedServer([
  { error: { code: 'unavailable' } },
  { text: 'Layers of sediment, one a year.', usage: { input_tokens: 14, output_tokens: 8 } },
  { error: { code: 'context-overflow' } },
]);

const model = retry({ sleep: async () => {} })(openaiChat({ model: 'scripted', baseUrl: server.url }));
const request = {
  messages: [{ role: 'user', content: [text('What are varves?')], thinking_blocks: [] }],
  tools: [],
  parameters: {},
} as const;

const reply = await model.generate(request, {
  onDelta: (delta) => console.log(delta.kind, delta.kind === 'text' ? JSON.stringify(delta.text) : ''),
});
console.log(reply.finish, reply.attempts, reply.usage);

// Every failure has one of a fixed list of codes.
await model.generate(request).catch((error: unknown) => {
  if (error instanceof LlmError) console.log(error.code, error.isRetryable);
});
