import type { RunResult } from '@varve/agent';
import { safeText } from '@varve/events/text';
import { commandName } from './command-name.ts';
import { describeFailure } from './describe-failure.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import type { Progress } from './progress.ts';
import type { RunOptions } from './run-options.ts';
import { storeUrl } from './store-from.ts';
import { styled, type TerminalIo } from './terminal-io.ts';

const unfinished = {
  'max-iterations': 'it took all the steps it was allowed',
  'max-cost': 'it cost all it was allowed',
  'max-tokens': 'it used all the tokens it was allowed',
  'max-calls': 'it asked its model as often as it was allowed',
  'max-time': 'it took all the time it was allowed',
  stuck: 'the agent repeats itself',
} as const;

/** Tells how a run ended and what can be done next; the final message alone goes to stdout. */
export function reportEnd(
  result: RunResult,
  id: string,
  options: RunOptions,
  io: TerminalIo,
  progress: Progress,
): ExitCode {
  const resume = `${commandName(io)} run --resume ${id}${sameAgain(options)}`;
  const isKept = storeUrl(io, options.store) !== 'memory:';
  const say = (line: string): void => progress.above(line);
  switch (result.reason) {
    case 'finished':
    case 'asked':
      progress[Symbol.dispose]();
      if (io.stdout.isTTY) io.stderr.write('\n');
      if (!options.json) io.stdout.write(`${safeText(result.text)}\n`);
      return exitCodes.ok;
    case 'waiting':
      say(styled(io, 'yellow', 'Calls wait for your approval.'));
      if (isKept) say(`Go on with:  ${resume} --approve\n        or:  ${resume} --reject "why"`);
      return exitCodes.waiting;
    case 'paused':
    case 'interrupted':
      say(styled(io, 'yellow', result.reason === 'paused' ? 'Paused.' : 'Interrupted.'));
      if (isKept) say(`Go on with:  ${resume}`);
      return exitCodes.interrupted;
    case 'max-iterations':
    case 'max-cost':
    case 'max-tokens':
    case 'max-calls':
    case 'max-time':
    case 'stuck':
      say(styled(io, 'yellow', `The run ended unfinished: ${unfinished[result.reason]}.`));
      if (isKept) say(`Go on with:  ${resume}`);
      return exitCodes.unfinished;
    case 'error':
      break;
  }
  const failure = describeFailure(result.error);
  if (!failure) throw result.error;
  say(`${styled(io, 'red', 'varve:')} ${failure.message}`);
  if (failure.hint) say(failure.hint);
  if (isKept) say(`Everything up to here is kept. Go on with:  ${resume}`);
  return failure.exitCode;
}

/** The options that a resumed run needs as well: without them it would ask another model, or ask nobody for approval. */
function sameAgain({ store, baseUrl, model, functionCalling, confirm }: RunOptions): string {
  const options = [
    ['--store', store],
    ['--base-url', baseUrl],
    ['--model', model],
    ['--function-calling', functionCalling === 'auto' ? undefined : functionCalling],
    ['--confirm', confirm],
  ] as const;
  return options.map(([name, value]) => (value === undefined ? '' : ` ${name} ${quoted(value)}`)).join('');
}

/** A value as a POSIX shell takes it for one word. */
function quoted(value: string): string {
  return /^[\w@%+=:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}
