import assert from 'node:assert/strict';
import type { WorkspaceCheck } from './workspace-check.ts';
import { workspaceCommandChecks } from './workspace-command-checks.ts';
import { workspaceFileChecks } from './workspace-file-checks.ts';
import { workspaceGitChecks } from './workspace-git-checks.ts';

/** Checks that every {@link Workspace} must pass. Run each check on a new workspace. */
export const workspaceContract: readonly WorkspaceCheck[] = [
  {
    title: 'is alive at an absolute path',
    async run(workspace) {
      assert.ok(workspace.directory.startsWith('/'));
      assert.equal(await workspace.isAlive(), true);
    },
  },
  ...workspaceFileChecks,
  ...workspaceCommandChecks,
  ...workspaceGitChecks,
];
