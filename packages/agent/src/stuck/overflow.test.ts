import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventCodec } from '@varve/events';
import { builtinKinds, CondensationRequest } from '@varve/events/kinds';
import { arbitraryLog, projectionContract, type Log } from '@varve/events/testing';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish } from '@varve/tools';
import { defineAgent, type AgentOptions } from '../agent/agent.ts';
import { Conversation } from '../conversation/conversation.ts';
import { countingTool } from '../testing/counting-tool.ts';
import { overflowProjection } from './overflow-projection.ts';

const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'All done.' } }] };
const tooLong: ScriptedTurn = { error: { code: 'context-overflow' } };
let count = 0;
const record = (): ScriptedTurn => ({ calls: [{ name: 'record', arguments: { text: `${++count}` } }] });
/** A reply whose result no longer fits. */
const large = (): ScriptedTurn[] => [record(), tooLong];

async function startConversation(steps: readonly ScriptedTurn[], options: Partial<AgentOptions> = {}) {
  const { tool } = countingTool();
  const model = scriptedModel(steps);
  const agent = defineAgent({ model, tools: () => [tool(), finish()], ...options });
  const conversation = await Conversation.create({ agent, store: memoryStore(), workspace: process.cwd() });
  await conversation.send('Go.');
  return { conversation, model };
}

const noticesIn = (conversation: Conversation) =>
  JSON.stringify(conversation.state.view.events).split('Request less').length - 1;

test('a context that overflows after every reply leads to one nudge, then ends the run, and another run continues', async () => {
  const steps = [record(), ...Array.from({ length: 5 }, large).flat(), done];
  const { conversation } = await startConversation(steps);
  expect(await conversation.run()).toMatchObject({ reason: 'stuck' });
  expect(noticesIn(conversation)).toBe(1);
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
});

test('a model that requests less continues', async () => {
  const steps = [record(), ...Array.from({ length: 4 }, large).flat(), ...Array.from({ length: 6 }, record), done];
  const { conversation } = await startConversation(steps);
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  expect(noticesIn(conversation)).toBe(1);
});

test('overflows with two replies between them are not a loop', async () => {
  const steps = [record(), ...Array.from({ length: 6 }, () => [record(), ...large()]).flat(), done];
  const { conversation } = await startConversation(steps);
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  expect(noticesIn(conversation)).toBe(0);
});

test('several condensation requests without a reply between them are one overflow', () => {
  const state = Array.from({ length: 9 }, (_, index) =>
    CondensationRequest.create({}, { id: `0000000${index}`, timestamp: '2026-01-01T00:00:00.000000' }),
  ).reduce((before, event, seq) => overflowProjection.apply(before, event, seq), overflowProjection.initial());
  expect(overflowProjection.read(state).streak).toBe(0);
});

const codec = eventCodec(builtinKinds);

test.for(projectionContract)('the count of overflows: $title', (check) => {
  fc.assert(
    fc.property(arbitraryLog<fc.Arbitrary<Log>>(fc, { maxEvents: 30 }), (log) =>
      check.run({ projection: overflowProjection, codec, events: log.map(({ text }) => codec.read(text)) }),
    ),
    { numRuns: 50 },
  );
});
