import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConversationStateUpdateEvent } from '@varve/events/kinds';
import type { ScriptedTurn } from '@varve/llm/testing';
import { fernet, keyOfPassphrase } from '@varve/settings/secrets';
import { modelProfiles } from '@varve/settings/profiles';
import { directoryStore } from '@varve/storage/directory';
import { expect, onTestFinished, test } from 'vitest';
import type { ConversationInfo } from '../src/reference/info/conversation-info.ts';
import { message, runningServer, type RunningServer } from './support/running-server.ts';

const fixtures = fileURLToPath(new URL('../../../tests/fixtures/openhands-conversations/', import.meta.url));
const finished = '3f7a3a2919624927adcbb960bb4e5c06';
const confirming = '7eb1c77e91b04610adb1508216c51d5d';
const passphrase = 'a passphrase of the tests';
const finish: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Continued.' } }] };
const command: ScriptedTurn = { calls: [{ name: 'terminal', arguments: { command: 'true' } }] };

type BaseState = Record<string, unknown> & {
  readonly agent: { readonly llm: Record<string, unknown> };
  readonly execution_status: string;
};

/** Returns copies of directories that the reference wrote, in a new place. */
function copied() {
  const root = mkdtempSync(join(tmpdir(), 'varve-reference-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const path = join(root, 'conversations');
  cpSync(fixtures, path, { recursive: true });
  const workspace = join(root, 'workspace');
  mkdirSync(workspace);
  const fileOf = (id: string, name: string): string => join(path, id, name);
  const read = (id: string): BaseState => JSON.parse(readFileSync(fileOf(id, 'base_state.json'), 'utf8')) as BaseState;
  /** Moves the workspace, and gives the model another address and an encrypted key. */
  const move = (id: string, url: string): void => {
    const state = read(id);
    const api_key = fernet(keyOfPassphrase(passphrase)).encrypt('sk-of-the-reference');
    const llm = { ...state.agent.llm, base_url: url, api_key };
    const moved = {
      ...state,
      agent: { ...state.agent, llm },
      workspace: { working_dir: workspace, kind: 'LocalWorkspace' },
    };
    writeFileSync(fileOf(id, 'base_state.json'), JSON.stringify(moved));
  };
  return {
    path,
    home: join(root, 'home'),
    read,
    move,
    events: (id: string) => readdirSync(fileOf(id, 'events')).toSorted(),
  };
}

/** Returns the number of updates to a status that a log contains. */
async function countOf(running: RunningServer, id: string, status: string): Promise<number> {
  const updates = (await running.events(id)).filter((event) => ConversationStateUpdateEvent.is(event));
  return updates.filter(({ key, value }) => key === 'execution_status' && value === status).length;
}

test('conversations of the reference are listed, shown and continued with their keys, and stay readable there', async () => {
  const { path, home, read, move, events } = copied();
  await using store = await directoryStore({ path });
  const env = { PATH: process.env['PATH'], OH_SECRET_KEY: passphrase };
  await using running = await runningServer([command, finish], { store, home, env });
  move(finished, running.model.url);
  await modelProfiles(home).replace('own', { model: 'openai/gpt-4o', base_url: running.model.url });
  const before = events(finished);
  const page = await running.json<{ readonly items: readonly ConversationInfo[] }>(200, 'GET', '/search');
  expect(page.items.map(({ id }) => id.replaceAll('-', '')).toSorted()).toEqual(readdirSync(fixtures).toSorted());
  expect(JSON.stringify(page)).not.toContain('gAAAA');
  const ended = await countOf(running, finished, 'finished');
  await running.json(200, 'POST', `/${finished}/events`, message('Continue.', true));
  await running.status(finished, ['finished'], ended + 1);
  expect(running.model.requests[0]?.headers['authorization']).toBe('Bearer sk-of-the-reference');
  expect(await running.json(200, 'GET', `/${finished}/agent_final_response`)).toEqual({ response: 'Continued.' });
  await running.json(200, 'PATCH', `/${finished}`, { tags: { team: 'a' } });
  await running.server[Symbol.asyncDispose]();
  const names = events(finished);
  expect(names.slice(0, before.length)).toEqual(before);
  names.forEach((name, index) =>
    expect(name).toMatch(new RegExp(`^event-${String(index).padStart(5, '0')}-[\\w-]+\\.json$`)),
  );
  const state = read(finished);
  expect(state).toMatchObject({
    execution_status: 'finished',
    agent: { kind: 'Agent', llm: { model: 'openai/gpt-4o' } },
  });
  expect(state.agent.llm['api_key']).toMatch(/^gAAAA/);
});

test('a key in the files of the reference is sent to a server of another person only after a profile names it', async () => {
  const { path, home, move } = copied();
  await using store = await directoryStore({ path });
  const env = { PATH: process.env['PATH'], OH_SECRET_KEY: passphrase };
  await using running = await runningServer([finish], { store, home, env });
  move(finished, running.model.url);
  const refused = await running.json(409, 'POST', `/${finished}/events`, message('Continue.', true));
  expect(String(refused['detail'])).toContain(`The stored key is not sent to ${running.model.url}`);
  expect(running.model.requests).toEqual([]);
  await modelProfiles(home).replace('own', { model: 'openai/gpt-4o', base_url: running.model.url });
  const ended = await countOf(running, finished, 'finished');
  await running.json(200, 'POST', `/${finished}/events`, message('Continue.', true));
  await running.status(finished, ['finished'], ended + 1);
  expect(running.model.requests[0]?.headers['authorization']).toBe('Bearer sk-of-the-reference');
});

test('the policy of a conversation of the reference decides about its next calls', async () => {
  const { path, home, move } = copied();
  await using store = await directoryStore({ path });
  const env = { PATH: process.env['PATH'], OH_SECRET_KEY: passphrase };
  await using running = await runningServer([command], { store, home, env });
  move(confirming, running.model.url);
  await modelProfiles(home).replace('own', { model: 'openai/gpt-4o', base_url: running.model.url });
  const asked = await countOf(running, confirming, 'waiting_for_confirmation');
  await running.json(200, 'POST', `/${confirming}/events`, message('Continue.', true));
  await running.status(confirming, ['waiting_for_confirmation'], asked + 1);
  expect(await running.json(200, 'GET', `/${confirming}`)).toMatchObject({
    confirmation_policy: { kind: 'AlwaysConfirm' },
    execution_status: 'waiting_for_confirmation',
  });
});
