import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore, ed25519Signer, verify } from '@varve/storage';
import { finish } from '@varve/tools';
import { defineAgent } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';

const key = new Uint8Array(32).fill(5);
const signingKey = ed25519Signer(key);
const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };
const every = { trusted: [signingKey.did], mustBeSigned: () => true };

function agentWith(...turns: readonly ScriptedTurn[]) {
  return defineAgent({ model: scriptedModel(turns), tools: () => [finish()], signingKey });
}

test('every event of an agent with a signing key is signed, also after switching the model', async () => {
  const store = memoryStore();
  await using conversation = await Conversation.create({ agent: agentWith(done), store, workspace: process.cwd() });
  await conversation.send('Go.');
  await conversation.run();
  conversation.switchModel(scriptedModel([done]));
  await conversation.send('Again.');
  await conversation.run();
  const { head, signedEvents, broken } = await verify(await store.read(conversation.id), every);
  expect([signedEvents, broken]).toEqual([head, undefined]);
});

test('events that another writer put into the log are not signed', async () => {
  const store = memoryStore();
  const first = await Conversation.create({ agent: agentWith(), store, workspace: process.cwd() });
  await first.send('Go.');
  const { id } = first;
  await first[Symbol.asyncDispose]();
  const log = await store.open(id);
  const [seq] = await log.append([{ id: 'f', kind: 'PauseEvent', parentId: undefined, text: '{"id":"f"}' }]);
  await log[Symbol.asyncDispose]();
  expect((await verify(await store.read(id), every)).broken).toMatchObject({ seq, reason: 'unsigned' });
});

test('neither the spec nor the printed form of an agent contains its signing key', () => {
  const agent = agentWith();
  expect(JSON.stringify(agent.spec)).not.toContain(signingKey.did);
  expect(inspect(agent, { depth: null, showHidden: true })).not.toMatch(/5, 5, 5, 5|BEGIN/);
});
