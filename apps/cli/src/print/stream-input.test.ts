import { PassThrough } from 'node:stream';
import { alwaysConfirm, createAgent } from '@varve/agent';
import { approvalFact } from '@varve/events/facts';
import { ActionEvent } from '@varve/events/kinds';
import { HostedConversation, type Work } from '@varve/host';
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
  const work: Work = async (options) => {
    const result = await conversation.run(options);
    const actions = conversation.state.pending.map(({ event }) => event.id);
    stdin.write(`${JSON.stringify({ type: 'approve', actions })}\n`);
    const { signal } = new AbortController();
    for await (const { event } of conversation.events({ signal })) if (approvalFact.read(event)) break;
    return result;
  };
  await using hosted = new HostedConversation(conversation);
  hosted.follow({ addEvent: (event) => void (ActionEvent.is(event) && event.tool_name === 'finish' && stdin.end()) });
  const result = await new StreamInput(stdin).run(hosted, { work }, () => undefined);
  expect([result.reason, result.text]).toEqual(['finished', 'Done.']);
});
