import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scriptedModel } from '@varve/llm/testing';
import type { EventStore } from '@varve/storage';
import { directoryStore } from '@varve/storage/directory';
import { finish, taskTracker, think } from '@varve/tools';
import { defineAgent } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { countingTool } from '../src/testing/counting-tool.ts';

const id = '0123456789abcdef0123456789abcdef';
const usage = {
  input_tokens: 120,
  output_tokens: 20,
  cache_read_tokens: 50,
  cache_write_tokens: 0,
  reasoning_tokens: 5,
};
const newAgent = () =>
  defineAgent({
    model: scriptedModel([
      { calls: [{ name: 'finish', arguments: { message: 'Done.' } }], usage },
      { calls: [{ name: 'finish', arguments: { message: 'Done again.' } }], usage },
    ]),
    tools: () => [countingTool().tool(), taskTracker(), think(), finish()],
  });

async function directory() {
  const root = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const store = await directoryStore({ path: root.path });
  const state = async () => JSON.parse(await readFile(join(root.path, id, 'base_state.json'), 'utf8'));
  const dispose = async () => {
    await store[Symbol.asyncDispose]();
    await root[Symbol.asyncDispose]();
  };
  return { root: root.path, store, state, [Symbol.asyncDispose]: dispose };
}

function newConversation({
  store,
  root,
}: {
  readonly store: EventStore;
  readonly root: string;
}): Promise<Conversation> {
  return Conversation.create({ agent: newAgent(), store, id, workspace: root });
}

test('base_state.json lists the usage and the tools that the reference knows, and adds up over sessions', async () => {
  await using files = await directory();
  {
    await using conversation = await newConversation(files);
    await conversation.send('Go.');
    expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  }
  const { stats, agent: written } = await files.state();
  const text = JSON.stringify({ stats, agent: written }, null, 2);
  await expect(`${text}\n`).toMatchFileSnapshot('golden/reference-state.json');
  {
    await using conversation = await Conversation.open({ agent: newAgent(), store: files.store, id });
    await conversation.send('Again.');
    await conversation.run();
    // Until it is closed, the file has the earlier totals.
    expect((await files.state()).stats).toEqual(stats);
    expect((await files.state()).agent).toEqual(written);
  }
  expect((await files.state()).stats.usage_to_metrics.agent.accumulated_token_usage.prompt_tokens).toBe(240);
});

test('a session that was not closed leaves old totals, which nothing reads', async () => {
  await using files = await directory();
  await using conversation = await newConversation(files);
  await conversation.send('Go.');
  await conversation.run();
  const { stats, agent } = await files.state();
  expect([stats, agent.tools]).toEqual([{ usage_to_metrics: {} }, []]);
  expect(conversation.state.stats.total.input_tokens).toBe(120);
});

test('a forged usage in `meta` changes no total', async () => {
  await using files = await directory();
  {
    await using conversation = await newConversation(files);
    await conversation.send('Go.');
  }
  {
    await using log = await files.store.open(id);
    const meta = {
      status: 'idle',
      workspace: files.root,
      usage: { agent: { input_tokens: 9e9 } },
      tools: ['terminal'],
    };
    await log.append([], { meta });
  }
  await using conversation = await Conversation.open({ agent: newAgent(), store: files.store, id });
  expect(conversation.state.stats.total.input_tokens).toBe(0);
});
