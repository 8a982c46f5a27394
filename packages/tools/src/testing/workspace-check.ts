import assert from 'node:assert/strict';
import { ToolError, type ToolErrorCode } from '../contract/error.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** One thing every {@link Workspace} must do. */
export interface WorkspaceCheck {
  readonly title: string;
  /**
   * Takes a workspace that is empty, in no repository, and on a Unix with git, ps and seq.
   *
   * @throws {AssertionError} when the workspace does not.
   */
  run(workspace: Workspace): Promise<void>;
}

/** Asserts that work fails with a {@link ToolError} of this code. */
export async function rejectsWithCode(work: Promise<unknown>, code: ToolErrorCode, hint?: string): Promise<void> {
  const failure: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(failure instanceof ToolError, hint ?? String(failure));
  assert.equal(failure.code, code, hint ?? failure.message);
}
