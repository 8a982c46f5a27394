import assert from 'node:assert/strict';
import type { WorkspaceCheck } from './workspace-check.ts';
import { workspaceCommandChecks } from './workspace-command-checks.ts';
import { workspaceFileChecks } from './workspace-file-checks.ts';
import { workspaceGitChecks } from './workspace-git-checks.ts';

/** What every {@link Workspace} must do. Run each check against a fresh one. */
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
