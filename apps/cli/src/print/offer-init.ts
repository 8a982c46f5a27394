import { NoModelError } from '../home/configured-model.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import type { RunOptions } from '../opening/run-options.ts';

/** Runs work that needs a model. On a terminal a person without one is asked for it, and the work begins again. */
export async function offerInit<Result>(
  work: () => Promise<Result>,
  { json }: RunOptions,
  io: TerminalIo,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof NoModelError) || json || !io.stdin.isTTY || !io.stderr.isTTY) throw error;
    io.stderr.line(error.message);
    const answer = await io.ask('Choose a model now? [Y/n]: ', new AbortController().signal);
    if (answer === undefined || !/^(?:y|yes|)$/i.test(answer.trim())) throw error;
    const { initialise } = await import('../configure/init-actions.ts');
    await initialise({}, io);
    return work();
  }
}
