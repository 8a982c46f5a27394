import { expect, test } from 'vitest';
import { scriptedModel } from '@varve/llm/testing';
import { memoryStore, type EventStore, type LogReader } from '@varve/storage';
import { exportBundle, readBundle } from '@varve/storage/maintenance';
import { finish } from '@varve/tools';
import { defineAgent } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { replayConversation, type ReplayOptions } from '../src/replay/replay-conversation.ts';
import { countingTool } from '../src/testing/counting-tool.ts';

const id = 'a'.repeat(32);
const workspace = process.cwd();
const turns = [
  { calls: [{ name: 'record', arguments: { text: 'theirs' } }] },
  { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] },
];

function agentWith(steps: Parameters<typeof scriptedModel>[0]) {
  const { tool, runs } = countingTool();
  return { runs, agent: defineAgent({ model: scriptedModel(steps), tools: () => [tool(), finish()] }) };
}

/** A store with the conversation of another person, whose call ran there. */
async function theirs(): Promise<EventStore> {
  const store = memoryStore();
  await using conversation = await Conversation.create({ agent: agentWith(turns).agent, store, workspace, id });
  await conversation.send('Go.');
  await conversation.run();
  return store;
}

/** Stores after a number of imports, each of an export of the one before, or of a fork there. */
async function imported(chain: readonly ('import' | 'fork')[]): Promise<{ store: EventStore; of: string }> {
  let [store, of] = [await theirs(), id];
  for (const step of chain) {
    if (step === 'import') {
      const next = memoryStore();
      await Conversation.import(exportBundle(await store.read(of), await store.summary(of)), { store: next });
      store = next;
    } else {
      await using origin = await Conversation.open({ agent: agentWith([]).agent, store, id: of, workspace });
      const call = origin.state.view.events.findLast((event) => event.source === 'agent');
      // From before the boundary of the import, which the fork does not copy.
      await using fork = await origin.fork({ ...(call && { at: call.id }) });
      of = fork.id;
    }
  }
  return { store, of };
}

const steps = ['import', 'fork'] as const;
const chains = [
  ['import'] as const,
  ...steps.map((second) => ['import', second] as const),
  ...steps.flatMap((second) => steps.map((third) => ['import', second, third] as const)),
];
const modes: readonly ReplayOptions['replies'][] = ['recorded', 'recorded-then-live'];

/** Returns the log in a store, or that of its bundle, which nothing has imported. */
async function logIn(store: EventStore, of: string, isRead: boolean): Promise<LogReader> {
  const log = await store.read(of);
  return isRead ? (await readBundle(exportBundle(log, await store.summary(of)))).log : log;
}

test.for(
  [[], ...chains].flatMap((chain) =>
    modes.flatMap((replies) => [false, true].map((isRead) => [replies, chain, isRead] as const)),
  ),
)(
  'a replay of %s replies runs calls of an imported log only if that is chosen: %j, only read: %s',
  async (parameters) => {
    const [replies, chain, isRead] = parameters;
    const { store, of } = await imported(chain);
    const { agent, runs } = agentWith([]);
    const options = { agent, store: memoryStore(), workspace, replies };
    const log = await logIn(store, of, isRead);
    await replayConversation(log, { ...options, results: 'recorded' });
    // A program without types may pass none.
    await replayConversation(log, options as ReplayOptions);
    expect(runs.size).toBe(0);
    await replayConversation(log, { ...options, results: 'live' });
    expect(runs.size).toBe(1);
  },
);
