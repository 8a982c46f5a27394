import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { ToolError } from '../contract/error.ts';

/**
 * The path of the ripgrep to use: the given one, else that of the package `@vscode/ripgrep`, else the first on `searchPath`.
 * The package comes first, because a search path may lead into the repository that is searched.
 *
 * @throws {ToolError} `unusable` when there is none.
 */
export async function findRipgrep(given: string | undefined, searchPath: string | undefined): Promise<string> {
  if (given !== undefined) {
    if (isExecutable(given)) return given;
    throw new ToolError('unusable', `The ripgrep ${given} is not an executable file.`);
  }
  const packaged = await import('@vscode/ripgrep').then(
    ({ rgPath }) => rgPath,
    () => undefined,
  );
  if (packaged !== undefined && isExecutable(packaged)) return packaged;
  const directories = (searchPath ?? '').split(delimiter).filter(isAbsolute);
  const found = directories.map((directory) => join(directory, 'rg')).find(isExecutable);
  if (found === undefined) throw new ToolError('unusable', 'No ripgrep was found on this machine.');
  return found;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** One run of ripgrep. */
export interface RipgrepRun {
  /** Path of the program. */
  readonly program: string;
  readonly args: readonly string[];
  /** Where it runs: what globs and results are relative to. */
  readonly directory: string;
  /** Rejects with its reason when it aborts; the program is gone then. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Records are split here and come without it. */
  readonly separator: '\0' | '\n';
  /** Called with each record; false ends the run. Must not throw. */
  readonly onRecord: (record: string) => boolean;
}

/** How a run ended. `stopped`: by `onRecord`; `late`: by its time limit. With an error `message` there may be records. */
export interface RipgrepEnd {
  readonly end: 'done' | 'stopped' | 'late';
  readonly message?: string;
}

const longestRecord = 1024 * 1024;
const longestMessage = 4000;

/** Runs ripgrep without a shell and without configuration files, and hands over what it prints as it comes. */
export async function runRipgrep(run: RipgrepRun): Promise<RipgrepEnd> {
  run.signal.throwIfAborted();
  const child = spawn(run.program, ['--no-config', '--color=never', ...run.args], {
    cwd: run.directory,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let end: RipgrepEnd['end'] = 'done';
  let message = '';
  const stop = (why: RipgrepEnd['end']): void => {
    end = why;
    child.kill('SIGKILL');
  };
  const timer = setTimeout(stop, run.timeoutMs, 'late');
  const abort = (): void => stop('stopped');
  run.signal.addEventListener('abort', abort, { once: true });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (message = (message + text).slice(0, longestMessage)));
  const hear = records(run.separator, (record) => {
    if (end === 'done' && !run.onRecord(record)) stop('stopped');
  });
  child.stdout.setEncoding('utf8').on('data', hear);
  try {
    const [code] = await once(child, 'close');
    run.signal.throwIfAborted();
    return end === 'done' && code === 2 ? { end, message: message.trim() || 'ripgrep failed.' } : { end };
  } finally {
    clearTimeout(timer);
    run.signal.removeEventListener('abort', abort);
  }
}

/** Cuts a stream into records. One that is longer than 1 Mi is dropped. */
function records(separator: string, onRecord: (record: string) => void): (chunk: string) => void {
  let rest = '';
  return (chunk) => {
    const parts = (rest + chunk).split(separator);
    rest = (parts.pop() ?? '').slice(0, longestRecord);
    for (const part of parts) if (part.length < longestRecord) onRecord(part);
  };
}
