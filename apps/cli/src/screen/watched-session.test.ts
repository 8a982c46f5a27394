import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { alwaysConfirm, Conversation, defineAgent } from '@varve/agent';
import { scriptedModel } from '@varve/llm/testing';
import { finish, terminal } from '@varve/tools';
import { expect, test } from 'vitest';
import { openConfiguredStore, storeUrl } from '../home/open-configured-store.ts';
import { announceServer } from '../home/running-servers.ts';
import { questionsTo } from '../opening/questions-to.ts';
import { terminalIo } from '../terminal/terminal-io.ts';
import { screenPerson } from './screen-person.ts';
import { Screen } from './screen.ts';
import { watchSession } from './watched-session.ts';

const nothing = (): void => undefined;

test('a conversation whose calls are all approved, without a run, is continued on its server', async () => {
  const home = await mkdtemp(join(tmpdir(), 'varve-watched-'));
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: nothing });
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
  const io = terminalIo({ env: { HOME: home, TERM: 'xterm' }, cwd: home, stdin, stdout, stderr: new PassThrough() });
  const streams = io.openScreen();
  if (!streams) throw new Error('The screen has no terminal.');
  using screen = new Screen(io, streams, () => 0);

  await using store = await openConfiguredStore(io, undefined);
  const agent = defineAgent({
    model: scriptedModel([{ calls: [{ name: 'terminal', arguments: { command: 'make' } }] }]),
    tools: () => [terminal(), finish()],
    confirmation: alwaysConfirm(),
  });
  await using conversation = await Conversation.create({ agent, store, workspace: home });
  await conversation.send('Go.');
  await conversation.run();
  await conversation.approve();

  const received: unknown[] = [];
  await using server = createServer((request, response) => {
    const receive = async (): Promise<void> => {
      received.push([request.url, JSON.parse(await text(request))]);
      response.end('{}');
    };
    void receive();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  using _ = await announceServer({ url, key: 'k', store: await storeUrl(io, undefined) }, io);

  const questions = questionsTo(screenPerson(screen), io, { options: () => ({}) });
  await using watched = await watchSession({ id: conversation.id, from: async () => 0 }, screen, questions);
  await watched.continue();
  const path = `/api/conversations/${conversation.id}/events`;
  const message = { role: 'user', content: [] };
  expect(received).toEqual([
    [path, { ...message, run: false }],
    [path, { ...message, run: true }],
  ]);
});
