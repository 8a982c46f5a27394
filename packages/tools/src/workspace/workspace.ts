import type { GitChange, GitCompareOptions } from '../git/git-changes.ts';
import type { GitDiff } from '../git/git-diff.ts';

/** What a directory holds. */
export interface WorkspaceEntry {
  readonly name: string;
  /** Of a link the link itself, not where it leads. */
  readonly kind: 'file' | 'directory' | 'link' | 'other';
}

/** How a command runs. */
export interface CommandOptions {
  /** Default: the directory of the workspace. */
  readonly directory?: string;
  /** When the command is ended. Default 30,000. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** How a command ended. Of each stream 10 MiB at most, both ends kept. */
export interface CommandResult {
  /** -1 when it was ended because of its timeout; 128 and the signal when a signal ended it. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
}

/** What a new worktree holds. */
export interface WorktreeOptions {
  /** A commit, branch or tag. Default HEAD. */
  readonly ref?: string;
  /** A branch to create. Default: none, a detached head. */
  readonly branch?: string;
  readonly signal?: AbortSignal;
}

/** How a worktree goes. */
export interface RemoveWorktreeOptions {
  /** Whether it goes with changes that are not committed. Default false. */
  readonly force?: boolean;
  readonly signal?: AbortSignal;
}

/** Anything that can be given up. */
export interface CancelOptions {
  readonly signal?: AbortSignal;
}

/**
 * A directory that an agent works in, here or elsewhere. Paths are relative to it, or absolute and inside of it; those that lead
 * outside are refused. Commands are not confined.
 *
 * @throws {ToolError} from each method: `invalid-input` when a path leads outside, is not there, or is of the wrong kind; `unusable`
 * when the system, git or the server fails; `aborted`.
 * @see software-agent-sdk openhands/sdk/workspace (there a failed copy is a value; here it is an error, like any other)
 */
export interface Workspace {
  /** Absolute, where the workspace is. */
  readonly directory: string;
  /** Whether it can be used now; never throws. */
  readonly isAlive: (options?: CancelOptions) => Promise<boolean>;
  /** A file, whole; 64 MiB at most. */
  readonly read: (path: string, options?: CancelOptions) => Promise<Buffer>;
  /** Replaces or creates a file and the directories above it. */
  readonly write: (path: string, content: string | Uint8Array, options?: CancelOptions) => Promise<void>;
  /** What a directory holds, hidden names too, sorted by name. Default: the workspace itself. */
  readonly list: (path?: string, options?: CancelOptions) => Promise<readonly WorkspaceEntry[]>;
  /** Runs a command in a fresh shell of POSIX; it has ended when nothing writes to its output any more. */
  readonly execute: (command: string, options?: CommandOptions) => Promise<CommandResult>;
  /** Copies a file of this machine into the workspace, of any size. `source` is absolute. */
  readonly upload: (source: string, destination: string, options?: CancelOptions) => Promise<void>;
  /** Copies a file of the workspace to this machine, of any size and in one step. `destination` is absolute. */
  readonly download: (source: string, destination: string, options?: CancelOptions) => Promise<void>;
  /** What git sees changed below a directory. Default: the workspace itself. */
  readonly changes: (path?: string, options?: GitCompareOptions) => Promise<readonly GitChange[]>;
  /** A file as it is and as it was. */
  readonly diff: (path: string, options?: GitCompareOptions) => Promise<GitDiff>;
  /** Checks out a commit into a new directory, without running what the repository names; filters such as LFS do not apply. */
  readonly addWorktree: (path: string, options?: WorktreeOptions) => Promise<Workspace>;
  /** Removes a worktree and its directory; `invalid-input` when it has changes. Its branch stays. */
  readonly removeWorktree: (path: string, options?: RemoveWorktreeOptions) => Promise<void>;
}
