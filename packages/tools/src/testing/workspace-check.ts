import assert from 'node:assert/strict';
import { ToolError, type ToolErrorCode } from '../contract/error.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** Check that every {@link Workspace} must pass. */
export interface WorkspaceCheck {
  readonly title: string;
  /**
   * Requires an empty workspace outside of any repository, on a Unix with git, ps and seq.
   *
   * @throws {AssertionError} when the workspace fails.
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
