import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventCodec } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import { arbitraryLog, attemptChanges, type Log } from '@varve/events/testing';
import { rollingWindow, type Condenser } from '@varve/condensers';
import type { LanguageModel } from '@varve/llm';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore, type EventStore } from '@varve/storage';
import { finish, type Tool } from '@varve/tools';
import { defineAgent } from '../src/agent/agent.ts';
import { confirmRisky } from '../src/confirmation/policies.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { readState } from '../src/log/read-log.ts';
import { verifyRequests } from '../src/replay/index.ts';
import { countingTool } from '../src/testing/counting-tool.ts';

const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };
const record = (text: string): ScriptedTurn => ({
  text: 'I record.',
  calls: [{ name: 'record', arguments: { text } }],
});

const id = '0'.repeat(32);

async function storeWith(log: Log): Promise<EventStore> {
  const store = memoryStore();
  await using stored = await store.create(id, {});
  // No store accepts an id twice or a null character, although projections do.
  const storable = log.filter(({ text }) => !text.includes('\0'));
  await stored.append([...new Map(storable.map((entry) => [entry.id, entry])).values()]);
  return store;
}

/** Tries to change everything that a conversation returns. */
async function attemptAllChanges(conversation: Conversation): Promise<void> {
  const { head } = conversation.state;
  attemptChanges([conversation.state, conversation.request(), await conversation.stateAt(head)]);
  if (head === 0) return;
  for await (const logged of conversation.events()) {
    attemptChanges(logged);
    if (logged.seq + 1 >= head) break;
  }
}

const stateAndRequest = (conversation: Conversation): string =>
  JSON.stringify([conversation.state, conversation.request()]);

test('a change of anything that a reopened conversation returns changes neither its state nor its next request', async () => {
  const agent = defineAgent({ model: scriptedModel([]), tools: () => [countingTool().tool(), finish()] });
  await fc.assert(
    fc.asyncProperty(arbitraryLog<fc.Arbitrary<Log>>(fc, { maxEvents: 40 }), async (log) => {
      const store = await storeWith(log);
      await using conversation = await Conversation.open({ agent, store, id, workspace: process.cwd() });
      const before = stateAndRequest(conversation);
      await attemptAllChanges(conversation);
      attemptChanges((await store.summary(id)).meta);
      expect(stateAndRequest(conversation)).toBe(before);
    }),
    { numRuns: 25 },
  );
});

/** A tool, a model, a condenser and an analyzer that try to change everything that they receive. */
function changingAgent() {
  const counting = countingTool().tool();
  const tool: Tool = {
    ...counting,
    execute: async (input, context) => {
      const output = await counting.execute(structuredClone(input), context);
      attemptChanges(input);
      return output;
    },
  };
  const scripted = scriptedModel(model());
  const changing: LanguageModel = {
    ...scripted,
    async generate(request, options) {
      const reply = await scripted.generate(structuredClone(request), options);
      attemptChanges(request);
      return reply;
    },
  };
  const window = rollingWindow({ maxEvents: 8, keepFirst: 2 });
  const condenser: Condenser = {
    ...window,
    async condense(view, context) {
      const answer = await window.condense(structuredClone(view), context);
      attemptChanges(view.events);
      return 'kind' in answer ? answer : view;
    },
  };
  const analyzer = {
    spec: { kind: 'Own' },
    assess: (call: unknown) => {
      attemptChanges((call as { readonly action: unknown }).action);
      return { risk: 'LOW' as const, reasons: [] };
    },
  };
  return defineAgent({
    model: changing,
    tools: () => [tool, finish()],
    condenser,
    confirmation: confirmRisky({ analyzer }),
    parameters: { temperature: 0.5 },
  });
}

function model(): readonly ScriptedTurn[] {
  return [...['a', 'b', 'c', 'd', 'e', 'f'].map(record), done];
}

test('tools, models, condensers and analyzers that change what they receive change nothing in the log or later requests', async () => {
  const store = memoryStore();
  await using conversation = await Conversation.create({ agent: changingAgent(), store, workspace: process.cwd() });
  await conversation.send('Go.');
  const result = await conversation.run({
    onDelta: attemptChanges,
    onOutput: (_chunk, event) => attemptChanges(event),
  });
  expect(result).toMatchObject({ reason: 'finished' });
  attemptChanges(result);
  const reader = await store.read(conversation.id);
  const checks = await Array.fromAsync(verifyRequests(reader));
  expect(checks).toHaveLength(7);
  expect(
    checks.filter(({ messages, tools, parameters }) => new Set([messages, tools, parameters, 'same']).size > 1),
  ).toEqual([]);
  expect(conversation.state).toEqual(await readState(reader));
});

test('events are frozen wherever they come from', () => {
  const codec = eventCodec(builtinKinds);
  fc.assert(
    fc.property(arbitraryLog<fc.Arbitrary<Log>>(fc, { maxEvents: 20 }), (log) => {
      for (const { text } of log) {
        const event = codec.read(text);
        const before = JSON.stringify(event);
        attemptChanges(event);
        expect(JSON.stringify(event)).toBe(before);
      }
    }),
  );
});
