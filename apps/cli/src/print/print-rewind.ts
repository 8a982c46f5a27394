import type { Conversation } from '@varve/agent';
import { pathsLeft, planLines, type FilesPlan } from '../wording/plan-lines.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

/** Options of {@link printRewind}. */
export interface PrintRewindOptions {
  /** Goes back in the conversation, too. */
  readonly both?: boolean;
  /** Changes nothing. */
  readonly dryRun?: boolean;
  /** Paths of files that are overwritten although something else changed them. */
  readonly overwrite?: readonly string[];
}

/**
 * Prints what is to be done with files, then does it. Returns false if some files are not as they were at the event.
 */
export async function printRewind(
  conversation: Conversation,
  eventId: string | undefined,
  { both = false, dryRun = false, overwrite = [] }: PrintRewindOptions,
  { stdout, stderr }: Pick<TerminalIo, 'stdout' | 'stderr'>,
): Promise<boolean> {
  const options: Parameters<Conversation['navigate']>[1] = {
    scope: both ? 'both' : 'files',
    overwrites: (path: string) => overwrite.includes(path),
  };
  const plan = await conversation.navigate(eventId, { ...options, dryRun: true });
  for (const line of planLines(plan)) stdout.line(line);
  if (dryRun) return true;
  const rewound = await conversation.navigate(eventId, options);
  for (const path of rewound.left) stderr.line(`${path} was changed meanwhile, and stays as it is.`);
  const isLeft = pathsLeft(rewound).length > 0;
  const isComplete = !isLeft && plan.gaps.length === 0;
  stderr.line(isComplete ? 'All files that calls changed are as they were.' : incomplete(plan, isLeft));
  return !isLeft;
}

function incomplete({ gaps }: FilesPlan, isLeft: boolean): string {
  const reasons = [...(isLeft ? ['some stay as they are'] : []), ...gaps];
  return `Not all files may be as they were: ${reasons.join('; ')}.`;
}
