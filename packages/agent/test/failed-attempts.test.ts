import { callFact, partialReplyFact, type Call } from '@varve/events/facts';
import { openaiChat, retry, type Delta } from '@varve/llm';
import { scriptedServer, type ScriptedStep } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish } from '@varve/tools';
import { expect, test } from 'vitest';
import { defineAgent } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { verifyRequests } from '../src/replay/verify-requests.ts';

const done: ScriptedStep = {
  calls: [{ name: 'finish', arguments: { message: 'Done.' } }],
  usage: { input_tokens: 10 },
  costUsd: 1,
};
const nothing: ScriptedStep = { text: '', usage: { input_tokens: 7, output_tokens: 2 }, costUsd: 0.5 };

/** Returns the recorded calls of a log, and the total cost. */
async function run(steps: readonly ScriptedStep[], attempts: number, stop?: AbortController) {
  await using server = await scriptedServer(steps);
  const model = retry({ attempts, sleep: async () => undefined })(openaiChat({ model: 'm', baseUrl: server.url }));
  const agent = defineAgent({ model, tools: () => [finish()] });
  const store = memoryStore();
  await using conversation = await Conversation.create({ agent, store, workspace: process.cwd() });
  await conversation.send('Go.');
  const { usage, reason } = await conversation.run({
    ...(stop && { signal: stop.signal, onDelta: () => stop.abort() }),
  });
  const calls: Call[] = [];
  for await (const { event } of conversation.events()) {
    const call = callFact.read(event);
    if (call) calls.push(call);
  }
  const checks = await Array.fromAsync(verifyRequests(await store.read(conversation.id)));
  return { usage, reason, calls, checks: checks.map(({ messages, tools }) => [messages, tools]) };
}

test('usage of failed attempts is in the log before the reply, and is charged', async () => {
  const { usage, calls, reason, checks } = await run([nothing, nothing, done], 3);
  expect([reason, calls.map(({ finish: end }) => end)]).toEqual(['finished', ['empty', 'empty', 'tool-calls']]);
  expect(usage).toMatchObject({ input_tokens: 24, output_tokens: 4, cost_usd: 2 });
  expect(new Set(calls.map(({ response_id: id }) => id)).size).toBe(3);
  expect(checks).toEqual(calls.map(() => ['same', 'same']));
});

test('the usage of failed attempts is stored also when no attempt leads to a reply', async () => {
  const { usage, calls } = await run([nothing, nothing, done], 2);
  expect(calls.map(({ finish: end, actions }) => [end, actions.length])).toEqual([
    ['empty', 0],
    ['empty', 0],
    ['tool-calls', 1],
  ]);
  expect(usage.cost_usd).toBe(2);
});

test('an interrupted reply is charged when its stream reported usage', async () => {
  const chunk = { choices: [{ delta: { content: 'Hello' } }], usage: { prompt_tokens: 9, completion_tokens: 1 } };
  const body = `data: ${JSON.stringify(chunk)}\n\ndata: ${JSON.stringify(chunk)}\n\n`;
  const streamed: ScriptedStep = { fault: { kind: 'answer', headers: { 'content-type': 'text/event-stream' }, body } };
  const { usage, calls } = await run([streamed], 1, new AbortController());
  expect([calls.map(({ finish: end }) => end), usage.input_tokens]).toEqual([['aborted'], 9]);
});

test('what arrived of an interrupted reply is stored without the start of a secret, and never sent', async () => {
  const secret = 'canary-0123456789';
  const steps = [
    { text: `Begin ${secret} and then ${secret}`, fault: { kind: 'hang', afterPieces: 8 } as const },
    done,
  ];
  await using server = await scriptedServer(steps);
  const agent = defineAgent({ model: openaiChat({ model: 'm', baseUrl: server.url }), tools: () => [finish()] });
  const options = { agent, store: memoryStore(), workspace: process.cwd(), secrets: [secret] };
  await using conversation = await Conversation.create(options);
  await conversation.send('Go.');
  const stop = new AbortController();
  let received = '';
  const onDelta = (delta: Delta): void => {
    if (delta.kind === 'text') received += delta.text;
    // In the middle of the second secret.
    if (received.length >= 40) stop.abort();
  };
  expect(await conversation.run({ signal: stop.signal, onDelta })).toMatchObject({ reason: 'interrupted' });
  const stored = await Array.fromAsync(conversation.events(), ({ event }) => partialReplyFact.read(event));
  expect(stored.filter(Boolean)).toMatchObject([{ finish: 'aborted', text: 'Begin <secret-hidden> and then ' }]);
  await conversation.run();
  expect(server.requests).toHaveLength(2);
  expect(server.requests[1]?.text).not.toContain('Begin');
});
