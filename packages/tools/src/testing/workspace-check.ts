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
