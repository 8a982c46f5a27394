import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { scriptedServer } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { expect, test } from 'vitest';
import { requestFor } from '../../test/support/running-server.ts';
import { startRequest } from '../reference/request/start-request.ts';
import { serverHost } from './host.ts';

test('a host with a relative data directory creates conversations with every tool', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-host-'));
  await using model = await scriptedServer([]);
  const home = relative(process.cwd(), directory.path);
  await using host = serverHost({ store: memoryStore(), home, env: { PATH: process.env['PATH'] } });
  const request = startRequest().parse(requestFor(model, directory.path));
  expect(await host.conversations.create(request)).toMatchObject({ isNew: true });
});

test('a host sends the spans of a run that it was asked for', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-host-'));
  await using model = await scriptedServer([{ calls: [{ name: 'finish', arguments: { message: 'Done.' } }] }]);
  const { promise: ended, resolve } = Promise.withResolvers<string>();
  const spans = {
    end: ({ name }: { readonly name: string }) => void (name.startsWith('invoke_agent') && resolve(name)),
  };
  const env = { PATH: process.env['PATH'] };
  await using host = serverHost({ store: memoryStore(), home: directory.path, env, spans });
  const request = startRequest().parse(requestFor(model, directory.path));
  const { id } = await host.conversations.create(request);
  await host.conversations.use(id, ({ hosted }) => hosted.send('Go.', { run: true }));
  expect(await ended).toBe('invoke_agent varve');
});
