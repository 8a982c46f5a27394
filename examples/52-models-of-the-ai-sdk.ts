// Runs agents on models of two providers of the AI SDK, in the providers' own protocols. Their servers are scripted.
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createAgent } from '@varve/agent';
import { aiSdkModel } from '@varve/ai-sdk';

/** Options of a provider that answers each request with these events; those of an application have a key only. */
const scripted = (...events: readonly object[]) => ({
  apiKey: 'not-a-key',
  fetch: async () => {
    const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  },
});
const anthropic = createAnthropic(
  scripted(
    {
      type: 'message_start',
      message: { id: 'msg_1', model: 'claude-sonnet-4-5', usage: { input_tokens: 20, output_tokens: 1 } },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Good morning.' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 4 } },
    { type: 'message_stop' },
  ),
);
const google = createGoogle(
  scripted({
    candidates: [{ content: { role: 'model', parts: [{ text: 'Good evening.' }] }, index: 0, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 20, candidatesTokenCount: 4, totalTokenCount: 24 },
  }),
);

for (const model of [anthropic('claude-sonnet-4-5'), google('gemini-3-pro')]) {
  await using agent = createAgent({ model: aiSdkModel(model) });
  const { text, usage } = await agent.run('Greet me.');
  console.log(`${model.modelId}: ${text} ${usage.input_tokens} + ${usage.output_tokens} tokens`);
}
