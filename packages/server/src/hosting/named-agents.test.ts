import { join } from 'node:path';
import { defineAgent, type Agent } from '@varve/agent';
import { scriptedModel, type ScriptedStep } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { defineTool, fileEditor } from '@varve/tools';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { message, runningServer } from '../../test/support/running-server.ts';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import { startRequest } from '../reference/request/start-request.ts';
import { serverHost, type ServerHost } from './host.ts';

const look = { calls: [{ name: 'look_up', arguments: { order: 7 } }] };

function agentWith(...steps: readonly ScriptedStep[]): Agent {
  const lookUp = defineTool({
    name: 'look_up',
    description: 'Looks an order up.',
    input: z.object({ order: z.int() }),
    effect: 'read',
    execute: async ({ order }) => `Order ${order} was sent.`,
  });
  return defineAgent({ model: scriptedModel(steps), tools: () => [lookUp, fileEditor()] });
}

test('conversations are created over HTTP with agents in code, by name', async () => {
  const agents = { support: () => agentWith(look, { text: 'It was sent.' }), sales: agentWith({ text: 'Hello.' }) };
  await using running = await runningServer([], { agents });
  const { workspace } = running;
  const json: typeof running.json = (...request) => running.json(...request);
  const request = { workspace: { working_dir: workspace } };
  for (const [name, answer] of [
    ['support', 'It was sent.'],
    ['sales', 'Hello.'],
    ['support', 'It was sent.'],
  ]) {
    const { id } = await json(201, 'POST', '', { ...request, agent_name: name, initial_message: message('Where?') });
    await running.status(String(id), ['finished']);
    expect(await json(200, 'GET', `/${String(id)}/agent_final_response`)).toEqual({ response: answer });
    expect(await json(200, 'GET', `/${String(id)}`)).toMatchObject({
      agent: { tools: [{ name: 'look_up' }, { name: 'file_editor' }], llm: { model: 'scripted' } },
    });
    await json(400, 'POST', `/${String(id)}/confirmation_policy`, { policy: { kind: 'NeverConfirm' } });
    await json(400, 'POST', `/${String(id)}/switch_llm`, { llm: { model: 'openai/other' } });
  }
  expect(await json(404, 'POST', '', { ...request, agent_name: 'other' })).toEqual({
    detail: 'The host has no agent "other".',
  });
  const policy = { confirmation_policy: { kind: 'NeverConfirm' } };
  await json(422, 'POST', '', { ...request, agent_name: 'support', ...policy });
});

test('a run that a server left is continued by another one with the agent of its name', async () => {
  const directory = await temporaryDirectory();
  const store = memoryStore();
  const [asked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow: ScriptedStep = () => {
    asked.resolve();
    return { ...look, gate: gate.promise };
  };
  const hostOf = (...steps: readonly ScriptedStep[]): ServerHost =>
    serverHost({
      store,
      home: directory.at('home'),
      agents: { support: agentWith(...steps) },
      abandon: async () => {},
    });
  const first = hostOf(slow);
  const request = startRequest().parse({ workspace: { working_dir: directory.path }, agent_name: 'support' });
  const { id } = await first.conversations.create(request);
  await first.conversations.send(id, [{ type: 'text', text: 'Where?', cache_prompt: false }], { run: true });
  await asked.promise;
  const closed = first.conversations.close(new AbortController().signal);
  gate.resolve();
  await closed;
  const change = { command: 'create', path: join(directory.at('home'), 'settings.json'), file_text: '{}' };
  const changing = { calls: [{ name: 'file_editor', arguments: change }] };
  await using second = hostOf({ text: 'It was sent.' }, changing);
  await second.conversations.recover();
  await second.conversations.use(id, async ({ hosted, conversation }) => {
    await hosted.runs.idle();
    expect(conversation.state.status).toBe('finished');
    // No call changes the data directory without a question.
    await hosted.send('Change the settings.', { run: true });
    await hosted.runs.idle();
    expect(conversation.state.status).toBe('waiting_for_confirmation');
  });
});
