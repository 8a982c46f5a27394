import { eventFormatter } from '../terminal/event-formatter.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { shownLine } from '../wording/shown-line.ts';
import { openRun } from '../opening/open-run.ts';
import { Progress } from './progress.ts';
import type { RunOptions } from '../opening/run-options.ts';

/** Options of `varve condense`. */
export type CondenseFlags = Pick<RunOptions, 'model' | 'baseUrl' | 'store' | 'sign'>;

/**
 * Condenses a stored conversation with its condenser, and prints what was forgotten, the summary, and the tokens before
 * and after.
 *
 * @throws {AgentError} `pending` while calls are open; {@link CondenserError} {@link LlmError} what the condenser
 * throws.
 */
export async function condenseStored(
  id: string,
  { focus, ...flags }: CondenseFlags & { readonly focus: string },
  io: TerminalIo,
): Promise<void> {
  using progress = new Progress(io);
  await using open = new AsyncDisposableStack();
  const { hosted } = await openRun({ ...flags, resume: id }, { io, progress }, open);
  const { conversation } = hosted;
  const { head } = conversation.state;
  progress.set('condensing');
  const isCondensed = await conversation.condense({ focus });
  progress[Symbol.dispose]();
  if (!isCondensed) io.stderr.line('Nothing of the conversation can be left out.');
  const format = eventFormatter();
  for await (const { event } of conversation.events({ from: head })) {
    for (const line of format(event)) io.stdout.text(shownLine(line));
  }
}
