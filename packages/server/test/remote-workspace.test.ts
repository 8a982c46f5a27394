import { afterAll, beforeAll, test } from 'vitest';
import { memoryStore } from '@varve/storage';
import { workspaceContract } from '@varve/tools/testing';
import { remoteWorkspace } from '@varve/tools/workspace';
import type { Listening } from '../src/http/listen.ts';
import { server } from '../src/server.ts';
import { testKey } from './support/requests.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

/** Checks of worktrees and of time limits, which take seconds and use no other routes. */
const slow = /worktree|timeout|endless/;

let listening: Listening;
beforeAll(async () => {
  listening = await server({ store: memoryStore(), keys: [testKey] }).listen(0);
});
afterAll(() => listening[Symbol.asyncDispose]());

test.concurrent.for(workspaceContract.filter(({ title }) => !slow.test(title)))(
  'a remote workspace on this server: $title',
  async (check) => {
    await using directory = await temporaryDirectory();
    await check.run(remoteWorkspace({ url: listening.url, apiKey: testKey, directory: directory.path, pollMs: 5 }));
  },
);
