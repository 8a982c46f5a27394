import { execFile } from 'node:child_process';
import { ToolError } from '../contract/error.ts';
import { gitEnvironment } from './git-environment.ts';

/** Options of {@link runGit}. */
export interface GitRun {
  /** Existing directory to run in. */
  readonly directory: string;
  readonly args: readonly string[];
  readonly signal?: AbortSignal;
  /** Settings for this run; they override those of the repository. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Environment variables for this run. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Text for its input. */
  readonly input?: string;
}

/** Result of a run of git. */
export interface GitResult {
  readonly exitCode: number;
  readonly output: Buffer;
  /** Error output without credentials. */
  readonly message: string;
}

const timeoutMs = 30_000;
const maxOutputBytes = 64 * 1024 * 1024;

/**
 * Runs git without a shell, locks, prompts and network access. Objects missing from a partial clone are not fetched
 * either, because that would run the transport program that the repository configures.
 *
 * @throws {ToolError} `unusable` when git is missing or takes more than 30 s, `aborted`.
 */
export async function runGit({
  directory,
  args,
  signal,
  settings = {},
  variables = {},
  input,
}: GitRun): Promise<GitResult> {
  const { promise, resolve, reject } = Promise.withResolvers<GitResult>();
  const { stdin } = execFile(
    'git',
    ['--no-pager', ...args],
    {
      cwd: directory,
      env: { ...inheritedEnvironment(), ...gitEnvironment(settings), ...variables },
      encoding: 'buffer',
      timeout: timeoutMs,
      maxBuffer: maxOutputBytes,
      killSignal: 'SIGKILL',
      ...(signal && { signal }),
    },
    (error, output, errors) => {
      const message = withoutCredentials(errors.toString());
      if (error === null) return resolve({ exitCode: 0, output, message });
      if (signal?.aborted) return reject(new ToolError('aborted', 'The call of git was cancelled.', { cause: error }));
      if (typeof error.code === 'number') return resolve({ exitCode: error.code, output, message });
      reject(new ToolError('unusable', `Git could not be run in ${directory}.`, { cause: error }));
    },
  );
  // Git may end before it has read everything; its exit code is the result.
  stdin?.on('error', () => undefined).end(input);
  return promise;
}

/** Returns the environment without variables that would point git to another repository. */
export function inheritedEnvironment(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
}

/** Returns the output of git without user names and passwords in URLs; a password may contain an unescaped `@`. */
export function withoutCredentials(text: string): string {
  return text.replaceAll(/(?<!\w)(\w+:\/\/)[^\s/]+@/g, '$1').trim();
}
