import type { PreparedParts } from '@varve/settings/agent';
import { streamCommand } from '@varve/tools/workspace';
import type { Redactor, Variables } from '@varve/text';
import type { BashCommand, BashOutput } from './bash-event.ts';
import { outputPieces, type OutputPiece } from './output-pieces.ts';

/** Stores a piece of output; the exit code is null except for the last piece. */
export type ReportOutput = (order: number, exitCode: number | null, piece: OutputPiece) => Promise<BashOutput>;

/** Options of `runBashCommand`. */
export interface RunBashOptions {
  readonly directory: string;
  /** Variables whose public part the command receives. */
  readonly env: Variables;
  /** Walls around the command. */
  readonly sandbox: PreparedParts['walls']['sandbox'];
  /** Masks the output. */
  readonly redactor: Redactor;
  /** Ends the command. */
  readonly signal: AbortSignal;
  readonly report: ReportOutput;
}

/**
 * Runs a command and reports its output in pieces: full ones as they come, the rest at the end. A command that cannot
 * be started, or is ended by the signal, has exit code -1 like one that exceeds its time.
 *
 * @throws if the last piece cannot be stored.
 */
export async function runBashCommand(
  { command, timeout }: Pick<BashCommand, 'command' | 'timeout'>,
  { directory, env, redactor, sandbox, signal, report }: RunBashOptions,
): Promise<BashOutput> {
  const pieces = outputPieces(redactor);
  let order = 0;
  let stored = Promise.resolve();
  const store = async (full: readonly OutputPiece[]): Promise<void> => {
    for (const piece of full) await report(order++, null, piece);
  };
  const ended = streamCommand(command, directory, {
    inherit: env,
    timeoutMs: timeout * 1000,
    signal,
    ...(sandbox && { sandbox }),
    onOutput(stream, bytes) {
      const full = pieces.add(stream, bytes);
      if (full.length === 0) return undefined;
      stored = stored.then(() => store(full));
      return stored;
    },
  });
  const outcome = await ended.then(
    ({ exitCode }) => ({ exitCode, problem: '' }),
    (error: unknown) => ({ exitCode: -1, problem: redactor.text(`Error executing command: ${messageOf(error)}`) }),
  );
  // Pieces that could not be stored are the problem.
  await stored.catch(() => {});
  const { stdout, stderr } = pieces.end();
  return report(order, outcome.exitCode, { stdout, stderr: (stderr ?? '') + outcome.problem || null });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
