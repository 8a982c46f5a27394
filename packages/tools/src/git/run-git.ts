import { execFile } from 'node:child_process';
import { ToolError } from '../contract/error.ts';
import { gitEnvironment } from './git-environment.ts';

/** How git runs. */
export interface GitRun {
  /** An existing directory. */
  readonly directory: string;
  readonly args: readonly string[];
  readonly signal?: AbortSignal;
  /** Settings for this run; they win over those of the repository. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** What git said. */
export interface GitResult {
  readonly exitCode: number;
  readonly output: Buffer;
  /** Without credentials. */
  readonly message: string;
}

const timeoutMs = 30_000;
const mostOutput = 64 * 1024 * 1024;

/**
 * Runs git without a shell, without locks, without questions, and without the network: also not to fetch objects that a partial
 * clone lacks, because that would run what the repository names as a transport.
 *
 * @throws {ToolError} `unusable` when there is no git or it takes more than 30 s, `aborted`.
 */
export async function runGit({ directory, args, signal, settings = {} }: GitRun): Promise<GitResult> {
  const { promise, resolve, reject } = Promise.withResolvers<GitResult>();
  execFile(
    'git',
    ['--no-pager', '--literal-pathspecs', ...args],
    {
      cwd: directory,
      env: { ...inheritedEnvironment(), ...gitEnvironment(settings) },
      encoding: 'buffer',
      timeout: timeoutMs,
      maxBuffer: mostOutput,
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
  return promise;
}

/** The environment without what would lead git to another repository. */
function inheritedEnvironment(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
}

/** What git said, without user names and passwords in addresses. */
export function withoutCredentials(text: string): string {
  return text.replaceAll(/(\w+:\/\/)[^\s/@]+@/g, '$1').trim();
}
