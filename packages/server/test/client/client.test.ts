import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { directoryStore } from '@varve/storage/directory';
import { sqliteStore } from '@varve/storage/sqlite';
import { expect, test } from 'vitest';
import { clientCases } from './client-cases.ts';
import { openClient } from './open-client.ts';

test.for(Object.entries(clientCases))('the official client: %s', ([, use]) => use(openClient));

test.for([
  ['a directory', async (path: string) => directoryStore({ path }), (id: string) => `store/${id}`],
  ['SQLite', async (path: string) => sqliteStore({ path: join(path, 'varve.db') }), () => 'store'],
] as const)('the directory of a conversation in %s exists', async ([, openStore, place]) => {
  await using stored = await openClient([], openStore);
  const conversation = stored.conversation();
  await conversation.start();
  const directory = await conversation.state.getPersistenceDir();
  expect((await stat(directory)).isDirectory()).toBe(true);
  expect(directory.endsWith(place(conversation.id.replaceAll('-', '')))).toBe(true);
});
