import { createInterface } from 'node:readline';
import type { RunOptions as AgentRunOptions } from '@varve/agent';
import type { EventPrinter, Display } from './event-printer.ts';
import type { RunOptions } from '../opening/run-options.ts';

/** Answers of the person, and their source while it is open. */
export interface Answers extends Disposable {
  readonly onQuestion?: NonNullable<AgentRunOptions['onQuestion']>;
}

/** The first question ends the run. */
export const noAnswers: Answers = { [Symbol.dispose]: () => undefined };

/**
 * Returns what answers questions of the agent: the person at the terminal, or with `--text-reply wait` the lines of
 * standard input, one for each question. Without either the first question ends the run.
 */
export function answersOf(
  { textReply, json }: RunOptions,
  { io, progress, printer }: Display & { readonly printer: EventPrinter },
): Answers {
  if (io.stdin.isTTY) {
    if (!io.stderr.isTTY || json) return noAnswers;
    return {
      [Symbol.dispose]: () => undefined,
      onQuestion: async (_question, signal) => {
        printer.showLastMessage();
        return progress.hiddenDuring(() => io.ask('Answer (empty: later): ', signal));
      },
    };
  }
  if (textReply !== 'wait' || io.stdin.readableEnded) return noAnswers;
  const lines = createInterface({ input: io.stdin });
  const answers = lines[Symbol.asyncIterator]();
  return {
    [Symbol.dispose]: () => lines.close(),
    onQuestion: async () => {
      const { value, done } = await answers.next();
      return done ? undefined : value.trim();
    },
  };
}
