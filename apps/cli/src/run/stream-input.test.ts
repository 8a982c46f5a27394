import { PassThrough } from 'node:stream';
import { alwaysConfirm, createAgent } from '@varve/agent';
import { approvalFact } from '@varve/events/facts';
import { scriptedModel } from '@varve/llm/testing';
import { expect, test } from 'vitest';
import { StreamInput } from './stream-input.ts';

test('a decision that arrives before the run has reported that calls wait starts another run', async () => {
  const model = scriptedModel([
    { calls: [{ name: 'terminal', arguments: { command: 'true' } }] },
    { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] },
  ]);
  await using agent = createAgent({ model, confirmation: alwaysConfirm() });
  const conversation = await agent.conversation();
  await conversation.send('Go.');
  const stdin = new PassThrough();
  const runOnce = async () => {
    const result = await conversation.run();
    if (result.reason !== 'waiting') {
      stdin.end();
      return result;
    }
    const actions = conversation.state.pending.map(({ event }) => event.id);
    stdin.write(`${JSON.stringify({ type: 'approve', actions })}\n`);
    const { signal } = new AbortController();
    for await (const { event } of conversation.events({ signal })) if (approvalFact.read(event)) break;
    return result;
  };
  const result = await new StreamInput(stdin).run(conversation, runOnce, () => undefined);
  expect([result.reason, result.text]).toEqual(['finished', 'Done.']);
});
