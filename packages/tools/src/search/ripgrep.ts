import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, isAbsolute, join } from 'node:path';
import { ToolError } from '../contract/error.ts';
import { turn } from '../contract/turn.ts';
import { isExecutable } from '../processes/shell-environment.ts';

/**
 * Returns the path of ripgrep: the given one, else that of the package `@vscode/ripgrep`, else the first on
 * `searchPath`. The package takes precedence, because a search path may include the repository that is searched.
 *
 * @throws {ToolError} `unusable` when ripgrep is not found.
 */
export async function findRipgrep(path: string | undefined, searchPath: string | undefined): Promise<string> {
  if (path !== undefined) {
    if (isExecutable(path)) return path;
    throw new ToolError('unusable', `The ripgrep ${path} is not an executable file.`);
  }
  const packaged = await import('@vscode/ripgrep').then(
    ({ rgPath }) => rgPath,
    () => undefined,
  );
  if (packaged !== undefined && isExecutable(packaged)) return packaged;
  const directories = (searchPath ?? '').split(delimiter).filter(isAbsolute);
  const program = directories.map((directory) => join(directory, 'rg')).find(isExecutable);
  if (program === undefined) throw new ToolError('unusable', 'No ripgrep was found on this machine.');
  return program;
}

/** Options of {@link runRipgrep}. */
export interface RipgrepRun {
  /** Path of the program. */
  readonly program: string;
  readonly args: readonly string[];
  /** Working directory, to which globs and results are relative. */
  readonly directory: string;
  /** On abort the program is killed and the run rejects with the signal's reason. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Separator of records in the output; not part of a record. */
  readonly separator: '\0' | '\n';
  /** Called with each record; false ends the run. Must not throw. */
  readonly onRecord: (record: string) => boolean;
  /** Returns the work on a record in steps, about 10 ns each. Default: its length. */
  readonly stepsOf?: (record: string) => number;
}

/**
 * Result of a run. `stopped`: ended by `onRecord`; `late`: ended by its timeout. A run with an error `message` may have
 * records.
 */
export interface RipgrepEnd {
  readonly end: 'done' | 'stopped' | 'late';
  readonly message?: string;
}

const maxRecordChars = 1024 * 1024;
const maxMessageChars = 64 * 1024;
/** Number of steps after which other work of the event loop runs. */
const maxSteps = 1_000_000;

/** Runs ripgrep without a shell and without configuration files, and passes on its records as they arrive. */
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
  child.stderr.setEncoding('utf8').on('data', (text: string) => (message = (message + text).slice(0, maxMessageChars)));
  const closed = once(child, 'close');
  closed.catch(() => undefined);
  try {
    if (!(await passOn(child.stdout.setEncoding('utf8'), run))) stop('stopped');
    const [code] = await closed;
    run.signal.throwIfAborted();
    return end === 'done' && code === 2 ? { end, message: message.trim() || 'ripgrep failed.' } : { end };
  } finally {
    clearTimeout(timer);
    run.signal.removeEventListener('abort', abort);
  }
}

/** Passes on the records of an output to `onRecord`; returns false if that has ended the run. */
export async function passOn(
  output: AsyncIterable<string> | Iterable<string>,
  { separator, onRecord, stepsOf, signal }: Pick<RipgrepRun, 'separator' | 'onRecord' | 'stepsOf' | 'signal'>,
): Promise<boolean> {
  let steps = 0;
  for await (const record of recordsOf(output, separator)) {
    if (!onRecord(record)) return false;
    steps += stepsOf?.(record) ?? record.length;
    if (steps < maxSteps) continue;
    steps = 0;
    await turn(signal);
  }
  return true;
}

/** Divides a stream into records. Records longer than 1 Mi are dropped. */
async function* recordsOf(stream: AsyncIterable<string> | Iterable<string>, separator: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of stream) {
    const parts = (rest + chunk).split(separator);
    rest = (parts.pop() ?? '').slice(0, maxRecordChars);
    for (const part of parts) if (part.length < maxRecordChars) yield part;
  }
}
