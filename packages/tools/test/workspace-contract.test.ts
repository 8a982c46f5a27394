import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'vitest';
import { workspaceContract } from '../src/testing/workspace-contract.ts';
import { workspaceServer } from './support/workspace-server.ts';
import { localWorkspace } from '../src/workspace/local-workspace.ts';
import { remoteWorkspace } from '../src/workspace/remote-workspace.ts';
import type { Workspace } from '../src/workspace/workspace.ts';

/** Subjects of the contract: add a row for a new workspace. */
const workspaces: Record<string, (directory: string, work: (workspace: Workspace) => Promise<void>) => Promise<void>> =
  {
    local: (directory, work) => work(localWorkspace(directory)),
    async remote(directory, work) {
      await using server = await workspaceServer({ apiKey: 'key' });
      await work(remoteWorkspace({ url: `${server.url}/`, apiKey: 'key', directory, pollMs: 5 }));
    },
  };

describe.concurrent.for(Object.entries(workspaces))('%s', ([, withWorkspace]) => {
  test.for(workspaceContract)('$title', async (check) => {
    const directory = await realpath(await mkdtemp(join(tmpdir(), 'varve-workspace-')));
    try {
      await withWorkspace(directory, (workspace) => check.run(workspace));
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});
