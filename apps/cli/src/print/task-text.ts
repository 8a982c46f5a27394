import { once } from 'node:events';
import { CliError } from '../failures/cli-error.ts';
import { exitCodes } from '../failures/exit-codes.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

/** Longest standard input in bytes: all of it is part of a message. */
const maxInputBytes = 1024 * 1024;

/** Time that a program next to a typed task has to write its first byte, so that an open but unused pipe is no wait. */
const firstByteMs = 3000;

/** Sources of a task. */
export interface TaskSources {
  readonly words: readonly string[];
  /** True with `--resume`, where a task is optional and standard input is read only next to one. */
  readonly isResumed: boolean;
  /** True if standard input next to a typed task has the answers to questions of the agent. */
  readonly hasAnswers?: boolean;
  /** Time to wait for the first byte; default 3 seconds. */
  readonly waitMs?: number;
}

/**
 * Returns the task: the typed words, followed by what is piped in; a word `-` waits for standard input however long it
 * takes.
 *
 * @throws {CliError} `usage` without a task, or when standard input is too long.
 */
export async function taskText(
  { words, isResumed, hasAnswers = false, waitMs = firstByteMs }: TaskSources,
  io: TerminalIo,
): Promise<string> {
  const isDash = words.includes('-');
  const typed = words
    .filter((word) => word !== '-')
    .join(' ')
    .trim();
  const isAlone = typed === '' && !isResumed;
  const isRead = isDash || (!io.stdin.isTTY && (isAlone || (typed !== '' && !hasAnswers)));
  const piped = isRead ? await pipedText(io, isDash || isAlone ? undefined : waitMs) : '';
  const task = typed === '' || piped === '' ? `${typed}${piped}` : `${typed}\n\n${quotedBlock(piped)}`;
  if (task === '' && !isResumed) {
    throw new CliError(exitCodes.usage, 'There is no task.', 'Describe the task: `varve run "Fix the failing test"`');
  }
  return task;
}

/** Quotes a text as a block that it cannot end. */
function quotedBlock(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return `Standard input:\n\n${fence}\n${text}\n${fence}`;
}

async function pipedText({ stdin, stderr }: TerminalIo, waitMs: number | undefined): Promise<string> {
  if (waitMs !== undefined && !(await hasInput(stdin, waitMs))) {
    stderr.line('Nothing arrived on standard input; continuing without it (add - to wait for it).');
    stdin.pause();
    return '';
  }
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk as Buffer | string);
    length += bytes.length;
    if (length > maxInputBytes) {
      const hint = 'Save it to a file, and name the file in the task.';
      throw new CliError(exitCodes.usage, `Standard input has more than ${maxInputBytes / 1024} KiB.`, hint);
    }
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8').trim();
}

/** Reports whether a stream has data, or has ended, in time. */
async function hasInput(stdin: TerminalIo['stdin'], waitMs: number): Promise<boolean> {
  if (stdin.readableEnded) return true;
  const signal = AbortSignal.timeout(waitMs);
  // Only `end` follows when the stream had ended before anyone listened.
  return Promise.any([once(stdin, 'readable', { signal }), once(stdin, 'end', { signal })]).then(
    () => true,
    () => false,
  );
}
