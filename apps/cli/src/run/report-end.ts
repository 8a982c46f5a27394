import type { RunResult } from '@varve/agent';
import { commandName } from '../command-name.ts';
import { describeFailure } from '../describe-failure.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import type { Progress } from './progress.ts';
import type { RunOptions } from './run-options.ts';
import { storeUrl } from '../setup/open-configured-store.ts';
import { styled, type Printable } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

const unfinished = {
  'max-iterations': 'it reached the limit of steps',
  'max-cost': 'it reached the cost limit',
  'max-tokens': 'it reached the token limit',
  'max-calls': 'it reached the limit of model calls',
  'max-time': 'it reached the time limit',
  stuck: 'the agent repeats itself',
} as const;

/** Reports how a run ended and what can be done next; only the final message goes to stdout. */
export function reportEnd(
  result: RunResult,
  id: string,
  options: RunOptions,
  io: TerminalIo,
  progress: Progress,
): ExitCode {
  const resume = `${commandName(io)} run --resume ${id}${repeatedOptions(options)}`;
  const isKept = storeUrl(io, options.store) !== 'memory:';
  const print = (line: Printable): void => progress.above(line);
  switch (result.reason) {
    case 'finished':
    case 'asked':
      progress[Symbol.dispose]();
      if (io.stdout.isTTY) io.stderr.line('');
      if (!options.json) io.stdout.text(result.text);
      return exitCodes.ok;
    case 'waiting':
      print(styled('yellow', 'Calls wait for your approval.'));
      if (isKept) print(`Resume with:  ${resume} --approve\n         or:  ${resume} --reject "why"`);
      return exitCodes.waiting;
    case 'paused':
    case 'interrupted':
      print(styled('yellow', result.reason === 'paused' ? 'Paused.' : 'Interrupted.'));
      if (isKept) print(`Resume with:  ${resume}`);
      return exitCodes.interrupted;
    case 'max-iterations':
    case 'max-cost':
    case 'max-tokens':
    case 'max-calls':
    case 'max-time':
    case 'stuck':
      print(styled('yellow', `The run ended unfinished: ${unfinished[result.reason]}.`));
      if (isKept) print(`Resume with:  ${resume}`);
      return exitCodes.unfinished;
    case 'error':
      break;
  }
  const failure = describeFailure(result.error);
  if (!failure) throw result.error;
  print([styled('red', 'varve:'), ' ', failure.message]);
  if (failure.hint) print(failure.hint);
  if (isKept) print(`Every event so far is stored. Resume with:  ${resume}`);
  return failure.exitCode;
}

/** Options that a resumed run needs too: without them it would use another model, store or policy. */
function repeatedOptions({ store, baseUrl, model, functionCalling, confirm, sign }: RunOptions): string {
  const options = [
    ['--store', store],
    ['--base-url', baseUrl],
    ['--model', model],
    ['--function-calling', functionCalling === 'auto' ? undefined : functionCalling],
    ['--confirm', confirm],
  ] as const;
  const words = options.map(([name, value]) => (value === undefined ? '' : ` ${name} ${quoted(value)}`));
  return `${words.join('')}${sign ? ' --sign' : ''}`;
}

/** Quotes a value as one word of a POSIX shell. */
function quoted(value: string): string {
  return /^[\w@%+=:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}
