import type { Conversation } from '@varve/agent';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { openRun } from '../opening/open-run.ts';
import { Progress } from './progress.ts';
import type { RunOptions } from '../opening/run-options.ts';

/** Opens a stored conversation with its own agent while a function uses it, which sends no request to its model. */
export async function withStored(
  id: string,
  options: Pick<RunOptions, 'store' | 'sign'>,
  io: TerminalIo,
  use: (conversation: Conversation) => Promise<void>,
): Promise<void> {
  using progress = new Progress(io);
  await using open = new AsyncDisposableStack();
  const { hosted } = await openRun({ ...options, resume: id }, { io, progress, needsNoModel: true }, open);
  await use(hosted.conversation);
}
