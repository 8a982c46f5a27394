import { readFile } from 'node:fs/promises';
import { Option, type Command } from 'commander';
import { withoutUndefined } from '@varve/text';
import { CliError } from '../failures/cli-error.ts';
import { exitCodes } from '../failures/exit-codes.ts';
import { fileProblem } from '../failures/file-problem.ts';
import type { RunOptions } from '../opening/run-options.ts';
import { pathIn } from '../home/varve-home.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { positiveInteger, positiveNumber } from './option-values.ts';

/** Options of the headless mode of OpenHands V0, which scripts use. */
export interface HeadlessOptions {
  readonly task?: string;
  readonly file?: string;
  readonly directory?: string;
  readonly maxIterations?: number;
  readonly maxBudgetPerTask?: number;
  /** False with `--no-auto-continue`. */
  readonly autoContinue: boolean;
}

/** Adds the options to a command, without showing them in its help. */
export function addHeadlessOptions(command: Command): Command {
  return [
    new Option('-t, --task <text>'),
    new Option('-f, --file <path>'),
    new Option('-d, --directory <path>'),
    new Option('-i, --max-iterations <count>').argParser(positiveInteger),
    new Option('-b, --max-budget-per-task <usd>').argParser(positiveNumber),
    new Option('--no-auto-continue'),
  ].reduce((added, option) => added.addOption(option.hideHelp()), command);
}

/**
 * Returns the words of the task and the options that these options mean. A file is stronger than a task, as there, and
 * a task of these options continues after a text without calls.
 *
 * @throws {CliError} `usage` for a file that cannot be read.
 */
export async function fromHeadless(
  typed: readonly string[],
  flags: RunOptions & HeadlessOptions,
  io: TerminalIo,
): Promise<{ readonly words: readonly string[]; readonly options: RunOptions }> {
  const { task, file, directory, maxIterations, maxBudgetPerTask, autoContinue, ...options } = flags;
  const text = file === undefined ? task : await textOf(pathIn(io, file));
  const textReply = textReplyOf(text, autoContinue);
  return {
    words: [...(text === undefined ? [] : [text]), ...typed],
    options: {
      ...withoutUndefined({ workspace: directory, maxSteps: maxIterations, maxCost: maxBudgetPerTask, textReply }),
      ...options,
    },
  };
}

function textReplyOf(task: string | undefined, autoContinue: boolean): RunOptions['textReply'] {
  if (!autoContinue) return 'wait';
  return task === undefined ? undefined : 'continue';
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new CliError(exitCodes.usage, fileProblem(path, 'read', error));
  }
}
