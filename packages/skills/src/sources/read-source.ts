import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ToolError } from '@varve/tools';
import { localWorkspace, type WorkspaceEntry } from '@varve/tools/workspace';

/** Directory with configuration of agents: a workspace, or the home directory of the user. */
export interface SourceRoot {
  readonly directory: string;
  /** `project` directories are not trusted: links that lead outside of them are refused. */
  readonly scope: 'project' | 'user';
}

/** A problem with one file, which does not prevent the others from being used. */
export interface SourceProblem {
  /** Absolute path. */
  readonly path: string;
  /** Line in the file, from 1; undefined if the problem has none. */
  readonly line?: number;
  readonly message: string;
}

/** Thrown for a file that cannot be used; caught where problems are collected. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  readonly line: number | undefined;

  constructor(message: string, line?: number) {
    super(message);
    this.line = line;
  }

  /** Returns the problem of a file at `path`. */
  at(path: string): SourceProblem {
    return { path, message: this.message, ...(this.line !== undefined && { line: this.line }) };
  }
}

/** Largest file that is read, in bytes. */
export const maxSourceBytes = 1024 * 1024;

/**
 * Reads a regular file below a root. Never blocks on a pipe. Returns undefined if it does not exist.
 *
 * @throws {SourceError} when it is no regular file, too large, unreadable, or outside of a project.
 */
export async function readSource({ directory, scope }: SourceRoot, path: string): Promise<Buffer | undefined> {
  const whole = join(directory, path);
  const real = await realpath(whole).catch(() => undefined);
  if (real === undefined) return undefined;
  const [root, name] = scope === 'project' ? [directory, path] : [dirname(real), basename(real)];
  try {
    const content = await localWorkspace(root).read(name);
    if (content.length > maxSourceBytes) throw new SourceError(`The file is larger than ${maxSourceBytes} bytes.`);
    return content;
  } catch (error) {
    if (error instanceof ToolError) throw new SourceError(error.message);
    throw error;
  }
}

/**
 * Lists a directory below a root, sorted by name; a missing or unreadable one, or one outside of a project, is empty.
 */
export async function listSource({ directory, scope }: SourceRoot, path: string): Promise<readonly WorkspaceEntry[]> {
  const real = await realpath(join(directory, path)).catch(() => undefined);
  if (real === undefined) return [];
  const [root, name] = scope === 'project' ? [directory, path] : [real, '.'];
  return localWorkspace(root)
    .list(name)
    .catch(() => []);
}
