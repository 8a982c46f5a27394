import type { Conversation } from '@varve/agent';
import { exitCodes, type ExitCode } from '../failures/exit-codes.ts';
import { confirms } from '../terminal/confirms.ts';
import { pathsLeft, planLines, type FilesPlan } from '../wording/plan-lines.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { printFileDifferences } from './file-differences.ts';

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
 * Prints what is to be done with files and their differences, asks at a terminal, and does it. Status `unfinished` if
 * some files are not as they were at the event.
 */
export async function printRewind(
  conversation: Conversation,
  eventId: string | undefined,
  { both = false, dryRun = false, overwrite = [] }: PrintRewindOptions,
  io: TerminalIo,
): Promise<ExitCode> {
  const { stdout, stderr } = io;
  const overwritten = new Set(overwrite);
  const overwrites = (path: string): boolean => overwritten.has(path);
  const options = { scope: both ? 'both' : 'files', overwrites } as const;
  const plan = await conversation.navigate(eventId, { ...options, dryRun: true });
  for (const line of planLines(plan)) stdout.line(line);
  const changes = plan.steps.flatMap(({ kind, path, before, after }) =>
    kind === 'cannot' ? [] : [{ path, before: before.hash, after: after.hash }],
  );
  await printFileDifferences(changes, conversation, stdout);
  if (dryRun) return exitCodes.ok;
  if (io.stdin.isTTY && plan.steps.length > 0) {
    for (const { kind, path } of plan.steps)
      if (kind === 'conflict' && (await confirms(`Set ${path} back although something else changed it?`, io)))
        overwritten.add(path);
    if (!(await confirms('Set the files back?', io))) return exitCodes.interrupted;
  }
  const rewound = await conversation.navigate(eventId, options);
  for (const path of rewound.left) stderr.line(`${path} was changed meanwhile, and stays as it is.`);
  const isLeft = pathsLeft(rewound).length > 0;
  const isComplete = !isLeft && plan.gaps.length === 0;
  stderr.line(isComplete ? 'All files that calls changed are as they were.' : incomplete(plan, isLeft));
  return isLeft ? exitCodes.unfinished : exitCodes.ok;
}

function incomplete({ gaps }: FilesPlan, isLeft: boolean): string {
  const reasons = [...(isLeft ? ['some stay as they are'] : []), ...gaps];
  return `Not all files may be as they were: ${reasons.join('; ')}.`;
}
