import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'vitest';
import { workspaceContract } from '../testing/workspace-contract.ts';
import { localWorkspace } from './local-workspace.ts';
import type { Workspace } from './workspace.ts';

/** Every workspace: add its line here. */
const workspaces: Record<string, (directory: string) => Workspace> = {
  local: localWorkspace,
};

describe.for(Object.entries(workspaces))('%s', ([, open]) => {
  test.for(workspaceContract)('$title', async (check) => {
    const directory = await realpath(await mkdtemp(join(tmpdir(), 'varve-workspace-')));
    try {
      await check.run(open(directory));
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});
