import { text as readAll } from 'node:stream/consumers';
import { CliError } from '../failures/cli-error.ts';
import { withCommandName } from '../terminal/command-name.ts';
import { exitCodes } from '../failures/exit-codes.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

/** Answers of `varve init` in its options. */
export interface InitOptions {
  readonly provider?: string;
  readonly keyEnv?: string;
  readonly model?: string;
  /** Neither lists models nor calls one. */
  readonly offline?: true;
}

/** Asks a question. The answer is trimmed, and empty if the input has ended. */
export type Ask = (question: string, echo?: 'hidden') => Promise<string>;

/** What a question needs: answers given as options, the person, and the terminal. */
export interface Questions {
  readonly options: InitOptions;
  readonly ask: Ask;
  readonly io: TerminalIo;
}

/** On a terminal questions are asked one by one; otherwise the answers are the lines of standard input. */
export async function asker(io: TerminalIo): Promise<Ask> {
  if (io.stdin.isTTY) {
    const { signal } = new AbortController();
    return async (question, echo) => {
      const answer = echo === 'hidden' ? await io.askHidden(question) : await io.ask(question, signal);
      if (answer === undefined) throw new CliError(exitCodes.interrupted, 'Nothing was changed.');
      return answer.trim();
    };
  }
  const lines = (await readAll(io.stdin)).split('\n');
  return async (question) => {
    io.stderr.line(question);
    return lines.shift()?.trim() ?? '';
  };
}

/**
 * Returns normally if the person wants to keep an answer that looks wrong. Without a terminal it is refused.
 *
 * @throws {CliError} the problem.
 */
export async function keepAnyway(problem: CliError, { ask, io }: Questions): Promise<void> {
  if (!io.stdin.isTTY) throw problem;
  io.stderr.line(problem.message);
  if (problem.hint !== undefined) io.stderr.line(withCommandName(problem.hint, io));
  const answer = await ask('Use it anyway? [y/N]: ');
  if (!/^y(?:es)?$/i.test(answer)) throw new CliError(exitCodes.interrupted, 'Nothing was changed.');
}
