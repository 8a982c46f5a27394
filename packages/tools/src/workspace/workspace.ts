import type { GitChange, GitCompareOptions } from '../git/git-changes.ts';
import type { GitDiff } from '../git/git-diff.ts';

/** Entry of a directory. */
export interface WorkspaceEntry {
  readonly name: string;
  /** Kind of the entry itself; links are not followed. */
  readonly kind: 'file' | 'directory' | 'link' | 'other';
}

/** Options of a command. */
export interface CommandOptions {
  /** Default: the directory of the workspace. */
  readonly directory?: string;
  /** Time after which the command is terminated. Default: 30 000. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Result of a command. At most 10 MiB of each stream, both ends kept. */
export interface CommandResult {
  /** -1 if the command was terminated at its timeout; 128 + n if signal n ended it. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
}

/** Options of a new worktree. */
export interface WorktreeOptions {
  /** Commit, branch or tag. Default: HEAD. */
  readonly ref?: string;
  /** Branch to create. Default: a detached HEAD. */
  readonly branch?: string;
  readonly signal?: AbortSignal;
}

/** Options of removing a worktree. */
export interface RemoveWorktreeOptions {
  /** Removes a worktree with uncommitted changes too. Default: false. */
  readonly force?: boolean;
  readonly signal?: AbortSignal;
}

/** Options of a call that can be cancelled. */
export interface CancelOptions {
  readonly signal?: AbortSignal;
}

/**
 * Directory that an agent works in, on this or another machine. Paths are relative to it, or absolute and inside of it;
 * others are refused. Commands are not confined.
 *
 * @throws {ToolError} from each method: `invalid-input` when a path leads outside, does not exist, or is of the wrong
 * kind; `unusable` when the system, git or the server fails; `aborted`.
 * @see software-agent-sdk openhands/sdk/workspace (in the reference a failed copy is a return value; here it is an
 * error)
 */
export interface Workspace {
  /** Absolute path on the machine of the workspace. */
  readonly directory: string;
  /** Returns true if the workspace can be used now. Never throws. */
  readonly isAlive: (options?: CancelOptions) => Promise<boolean>;
  /** Reads a whole file of at most 64 MiB. */
  readonly read: (path: string, options?: CancelOptions) => Promise<Buffer>;
  /** Replaces or creates a file and the directories above it. */
  readonly write: (path: string, content: string | Uint8Array, options?: CancelOptions) => Promise<void>;
  /** Lists a directory, including hidden names, sorted by name. Default: the workspace itself. */
  readonly list: (path?: string, options?: CancelOptions) => Promise<readonly WorkspaceEntry[]>;
  /** Runs a command in a new POSIX shell. Resolves when all programs have closed its output. */
  readonly execute: (command: string, options?: CommandOptions) => Promise<CommandResult>;
  /** Copies a file of any size from this machine into the workspace. `source` is absolute. */
  readonly upload: (source: string, destination: string, options?: CancelOptions) => Promise<void>;
  /** Copies a file of any size from the workspace to this machine, in one step. `destination` is absolute. */
  readonly download: (source: string, destination: string, options?: CancelOptions) => Promise<void>;
  /** Returns the changes that git reports below a directory. Default: the workspace itself. */
  readonly changes: (path?: string, options?: GitCompareOptions) => Promise<readonly GitChange[]>;
  /** Returns the content of a file before and after its changes. */
  readonly diff: (path: string, options?: GitCompareOptions) => Promise<GitDiff>;
  /**
   * Checks out a commit into a new directory. Runs no program of the repository; filters such as LFS are not applied.
   */
  readonly addWorktree: (path: string, options?: WorktreeOptions) => Promise<Workspace>;
  /** Removes a worktree and its directory; `invalid-input` when it has changes. Its branch stays. */
  readonly removeWorktree: (path: string, options?: RemoveWorktreeOptions) => Promise<void>;
}
