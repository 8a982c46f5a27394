import { spawn } from 'node:child_process';
import { once } from 'node:events';

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
