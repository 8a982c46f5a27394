import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '@varve/events';
import { scriptedModel } from '@varve/llm/testing';
import { memoryStore, type EventStore } from '@varve/storage';
import { exportBundle } from '@varve/storage/maintenance';
import { finish } from '@varve/tools';
import { defineAgent, type AgentOptions } from '../src/agent/agent.ts';
import { alwaysConfirm } from '../src/confirmation/policies.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { AgentError } from '../src/error.ts';
import { readSettings } from '../src/replay/verify-meta.ts';
import { countingTool } from '../src/testing/counting-tool.ts';
import { Crash, crashingStore } from '../src/testing/crashing-store.ts';

const id = 'a'.repeat(32);
const other = 'b'.repeat(32);
const workspace = process.cwd();
const calls = [{ name: 'record', arguments: { text: 'a' } }];
const agentWith = (changes: Partial<AgentOptions> = {}) =>
  defineAgent({ model: scriptedModel([{ calls }]), tools: () => [countingTool().tool(), finish()], ...changes });
const careful: Partial<AgentOptions> = {
  confirmation: alwaysConfirm(),
  budget: { maxIterations: 7, maxCalls: 9 },
  stuck: { repeatedResults: 3 },
};

/** Creates a conversation with a call that waits. */
async function waiting(store: EventStore, of = id): Promise<Conversation> {
  const conversation = await Conversation.create({ agent: agentWith(careful), store, workspace, id: of });
  await conversation.send('Go.');
  await conversation.run();
  return conversation;
}

/** Makes the conversation `id` in an empty store, in each way that leaves another log. */
const origins: Readonly<Record<string, (store: EventStore) => Promise<unknown>>> = {
  created: async (store) => (await waiting(store))[Symbol.asyncDispose](),
  'a child': async (store) => {
    await using parent = await waiting(store, other);
    await using child = await parent.child({ id, agent: agentWith() });
    await child.send('Go.');
  },
  'a fork': async (store) => {
    await using origin = await waiting(store, other);
    await (await origin.fork({ id }))[Symbol.asyncDispose]();
  },
  'a fork without a copied event': async (store) => dyingFork(store, 1),
  'a fork with all copied events': async (store) => dyingFork(store, 2),
  imported: async (store) => {
    await using theirs = memoryStore();
    await (await waiting(theirs))[Symbol.asyncDispose]();
    const bundle = exportBundle(await theirs.read(id), await theirs.summary(id));
    await Conversation.import(bundle, { store });
    await using opened = await Conversation.open({ agent: agentWith(careful), store, id, workspace });
    await opened.send('Continue.');
  },
};

async function dyingFork(store: EventStore, at: number): Promise<void> {
  await (await waiting(store, other))[Symbol.asyncDispose]();
  const dying = crashingStore(store, { at, stored: true });
  await using origin = await Conversation.open({ agent: agentWith(), store: dying, id: other });
  await expect(origin.fork({ id })).rejects.toThrow(Crash);
}

/** Returns what steers a conversation when it is opened and runs, or the code of the error. */
async function openedAs(store: EventStore): Promise<unknown> {
  try {
    const { policies_head: _, ...settings } = await readSettings(await store.read(id), await metaOf(store));
    await using conversation = await Conversation.open({ agent: agentWith(), store, id });
    const { pending, status } = conversation.state;
    const waitingIds = pending.map(({ event }) => event.id);
    const { reason } = await conversation.run();
    await conversation.send('Continue.');
    const { agent, workspace: path, parent, client_tools: tools } = Object(await metaOf(store));
    return { settings, waitingIds, status, reason, at: conversation.workspace, next: { agent, path, parent, tools } };
  } catch (error) {
    if (error instanceof AgentError) return error.code;
    throw error;
  }
}

const metaOf = async (store: EventStore) => (await store.summary(id)).meta;

const hostile: Readonly<Record<string, fc.Arbitrary<Json>>> = {
  agent: fc.record(
    {
      confirmation_policy: fc.constantFrom<Json>({ kind: 'NeverConfirm' }, { kind: 'AskBob' }, null),
      security_analyzer: fc.constantFrom<Json>({ kind: 'LLMSecurityAnalyzer' }, null),
      budget: fc.constantFrom<Json>({ maxCalls: 1_000 }, { maxIterations: -1 }, 'none'),
      stuck: fc.constantFrom<Json>('never', {}),
      kind: fc.constantFrom('Agent', 'Another'),
    },
    { requiredKeys: [] },
  ),
  workspace: fc.constantFrom('/etc', '/nowhere'),
  confirmation_policy: fc.constant({ kind: 'NeverConfirm' }),
  security_analyzer: fc.constant({ kind: 'LLMSecurityAnalyzer' }),
  policies_head: fc.oneof(fc.nat(20), fc.constant(1e9)),
  client_tools: fc.constantFrom<Json>([{ name: 'fetch', description: 'Fetches.', parameters: {} }], []),
  title: fc.string(),
  parent: fc.constantFrom(id, other),
  status: fc.constantFrom('idle', 'running', 'finished', 'waiting_for_confirmation'),
  importing: fc.boolean(),
  fork: fc.record({
    of: fc.constantFrom(id, other, 'c'.repeat(32)),
    events: fc.nat(20),
    leaf: fc.constant(null),
    imported: fc.boolean(),
  }),
  usage: fc.constant({}),
  tools: fc.constantFrom<Json>([], ['fetch']),
};
const removed = Symbol('removed');
const change = fc
  .dictionary(fc.constantFrom(...Object.keys(hostile)), fc.constant(undefined), { minKeys: 1, maxKeys: 3 })
  .chain((names) =>
    fc.record(
      Object.fromEntries(
        Object.keys(names).map((name) => [
          name,
          fc.oneof(hostile[name] ?? fc.constant(null), fc.jsonValue() as fc.Arbitrary<Json>, fc.constant(removed)),
        ]),
      ),
    ),
  );

test.for(Object.entries(origins))(
  'no change of the data next to a log steers a conversation, or it is refused: %s',
  async ([, create]) => {
    const expected = await (async () => {
      await using store = memoryStore();
      await create(store);
      return await openedAs(store);
    })();
    expect(expected).toMatchObject({ at: workspace, settings: { workspace } });
    await fc.assert(
      fc.asyncProperty(change, async (fields) => {
        await using store = memoryStore();
        await create(store);
        const changed = Object.entries({ ...Object(await metaOf(store)), ...fields });
        await using log = await store.open(id);
        await log.append([], {
          meta: Object.fromEntries(changed.filter(([, value]) => value !== removed)) as Json,
        });
        await log[Symbol.asyncDispose]();
        const reopened = await openedAs(store);
        expect(['incomplete', withoutIds(expected)]).toContainEqual(withoutIds(reopened));
      }),
      { numRuns: 25 },
    );
  },
);

/** Ids of events are random. */
const withoutIds = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'id'));
