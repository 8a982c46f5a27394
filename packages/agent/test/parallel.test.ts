import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { textOf } from '@varve/events';
import { ObservationEvent } from '@varve/events/kinds';
import { checkMessages } from '@varve/events/projections';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore, type EventStore } from '@varve/storage';
import { defineTool, finish, terminal, type Tool } from '@varve/tools';
import * as z from 'zod';
import { defineAgent } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { crashingStore } from '../src/testing/crashing-store.ts';

const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'All done.' } }] };
const shell = (command: string) => ({ name: 'terminal', arguments: { command } });
const work = (...names: string[]) => names.map((name) => ({ name: 'work', arguments: { name } }));

/** A tool whose calls end when the test ends them by name, and the order of their starts and ends. */
function workshop(resources?: (input: { readonly name: string }) => readonly string[]) {
  const seen: string[] = [];
  const gates = new Map<string, PromiseWithResolvers<void>>();
  const gateOf = (name: string) => {
    const gate = gates.get(name) ?? Promise.withResolvers<void>();
    gates.set(name, gate);
    return gate;
  };
  const tool = defineTool({
    name: 'work',
    description: 'Works.',
    input: z.object({ name: z.string().describe('What.') }),
    effect: 'write',
    ...(resources && { resources }),
    execute: async ({ name }, { signal }) => {
      seen.push(`+${name}`);
      const { promise, resolve } = Promise.withResolvers<void>();
      signal.addEventListener('abort', () => resolve());
      await Promise.race([gateOf(name).promise, promise]);
      if (signal.aborted) throw new Error('stopped');
      seen.push(`-${name}`);
      return `Did ${name}.`;
    },
  });
  return { tool, seen, end: (name: string) => gateOf(name).resolve() };
}

interface Setup {
  readonly tool: Tool;
  readonly calls: NonNullable<ScriptedTurn['calls']>;
  readonly store?: EventStore;
  readonly concurrency?: number;
}

async function startConversation({ tool, calls, store = memoryStore(), concurrency = 3 }: Setup) {
  const model = scriptedModel([{ calls }, done]);
  const agent = defineAgent({ model, tools: () => [tool, finish()], concurrency });
  const conversation = await Conversation.create({ agent, store, workspace: process.cwd() });
  await conversation.send('Go.');
  return { conversation, model };
}

/** Waits until the log contains `count` results. */
async function results(conversation: Conversation, count: number): Promise<readonly string[]> {
  const stop = new AbortController();
  const names: string[] = [];
  for await (const { event } of conversation.events({ signal: stop.signal })) {
    if (ObservationEvent.is(event)) names.push(textOf(event.observation.content));
    if (names.length === count) stop.abort();
  }
  return names;
}

test('calls run concurrently, each result is stored when it is ready, and the model reads them in call order', async () => {
  const { tool, end } = workshop(() => []);
  const { conversation, model } = await startConversation({ tool, calls: work('a', 'b', 'c') });
  const running = conversation.run();
  for (const [index, name] of ['c', 'a', 'b'].entries()) {
    end(name);
    await results(conversation, index + 1);
  }
  expect(await running).toMatchObject({ reason: 'finished' });
  expect((await results(conversation, 3)).slice(0, 3)).toEqual(['Did c.', 'Did a.', 'Did b.']);
  const read = model.requests[1]?.messages.filter(({ role }) => role === 'tool').map(({ content }) => textOf(content));
  expect(read).toEqual(['Did a.', 'Did b.', 'Did c.']);
  expect(checkMessages(conversation.request().messages)).toEqual([]);
});

test.for<[string, Partial<Setup> & { readonly resources?: (input: { readonly name: string }) => readonly string[] }]>([
  ['of a tool without declared resources', {}],
  ['with the same resource', { resources: () => ['file:/a'] }],
  ['of an agent with a concurrency of 1', { resources: () => [], concurrency: 1 }],
])('calls %s run one after the other', async ([, { resources, ...setup }]) => {
  const { tool, seen, end } = workshop(resources);
  const { conversation } = await startConversation({ tool, calls: work('a', 'b'), ...setup });
  end('a');
  end('b');
  await conversation.run();
  expect(seen).toEqual(['+a', '-a', '+b', '-b']);
});

test('commands of one reply run concurrently, each in a separate shell', async () => {
  const workspace = await mkdtemp(join(tmpdir(), 'varve-parallel-'));
  // Opening a pipe waits for the other end: one after the other, neither command would ever end.
  const meeting = [shell('cat pipe > met'), shell('echo hello > pipe')];
  const steps = [{ calls: [shell('mkfifo pipe')] }, { calls: meeting }, done];
  const agent = defineAgent({ model: scriptedModel(steps), tools: () => [terminal(), finish()], concurrency: 2 });
  await using conversation = await Conversation.create({ agent, store: memoryStore(), workspace });
  await conversation.send('Meet.');
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  expect(await readFile(join(workspace, 'met'), 'utf8')).toBe('hello\n');
});

test('finish waits for the calls before it', async () => {
  const { tool, seen, end } = workshop(() => []);
  const calls = [...work('a', 'b'), { name: 'finish', arguments: { message: 'Done.' } }];
  const { conversation } = await startConversation({ tool, calls });
  const running = conversation.run();
  end('b');
  await results(conversation, 1);
  expect(conversation.state.status).toBe('running');
  end('a');
  expect(await running).toMatchObject({ reason: 'finished', text: 'Done.' });
  expect(seen).toHaveLength(4);
});

test('an interrupt cancels all running calls, and every call has a result', async () => {
  const { tool, seen, end } = workshop(() => []);
  const { conversation } = await startConversation({ tool, calls: work('a', 'b', 'c', 'd') });
  const running = conversation.run();
  end('b');
  await results(conversation, 1);
  await conversation.interrupt();
  expect(await running).toMatchObject({ reason: 'interrupted' });
  expect(conversation.state.pending).toEqual([]);
  expect(seen.filter((what) => what.startsWith('-'))).toEqual(['-b']);
});

test('a store failure during concurrent calls ends the run after all of them have ended', async () => {
  const { tool, seen, end } = workshop(() => []);
  // Appends: settings, message, running, reply, two effects, then the first result.
  const store = crashingStore(memoryStore(), { at: 7, stored: false });
  const { conversation } = await startConversation({ tool, calls: work('a', 'b'), store });
  const running = conversation.run();
  while (seen.length < 2) await new Promise((resolve) => setImmediate(resolve));
  end('a');
  await expect(running).rejects.toThrow('Crashed');
  expect(seen).toEqual(['+a', '+b', '-a']);
});

test('a concurrency below one is refused', () => {
  const model = scriptedModel([]);
  expect(() => defineAgent({ model, tools: () => [], concurrency: 0 })).toThrow('no call ever runs');
});
