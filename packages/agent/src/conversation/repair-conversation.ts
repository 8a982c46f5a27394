import type { EventLog, Summary } from '@varve/storage';
import type { RepairOptions, RepairResult } from '@varve/storage/maintenance';
import { AgentError } from '../error.ts';
import { isUnfinishedImport } from '../log/settings.ts';
import { endHistory, titleOf } from './end-history.ts';

/** Answer to a call without a result in a log that lost its end. */
const lostMessage =
  'The log of this conversation lost what followed this call. It may have been executed: check the current state before you repeat it.';

/** Result of the repair of a conversation. */
export interface ConversationRepair extends RepairResult {
  /** True if what is left of the conversation became history. */
  readonly isHistory: boolean;
}

/**
 * Repairs a conversation whose log lost events, opened with the purpose `repair`. If that ends the log, what is left of
 * it is history, as after an import: what was lost could have changed its settings, or be the result of a call, or the
 * boundary of an import. Open it with a workspace. A repair whose process died is completed when it is done again,
 * before which the conversation cannot be opened.
 *
 * @throws {StorageError} as `repair`.
 */
export async function repairConversation(
  log: EventLog,
  { meta }: Pick<Summary, 'meta'>,
  options: RepairOptions = {},
): Promise<ConversationRepair> {
  const { repair } = await import('@varve/storage/maintenance');
  const result = await repair(log, options);
  // An import that did not end cannot be opened, and has no boundary yet.
  if (isUnfinishedImport(meta) || !(await endsWithCut(log))) return { ...result, isHistory: false };
  const [head, end] = [await log.head(), await log.proof?.end()];
  const seal = end?.head === head ? end.seal : undefined;
  await endHistory(log, { title: titleOf(meta), seal, answer: lostMessage, now: options.now ?? Date.now });
  return { ...result, isHistory: true };
}

/**
 * Refuses a log that was cut off and has no boundary yet: its settings and calls may be old, or those of an import.
 *
 * @throws {AgentError} `incomplete`.
 */
export async function checkRepaired(log: EventLog): Promise<void> {
  if (!(await endsWithCut(log))) return;
  throw new AgentError('incomplete', `The repair of conversation ${log.id} did not end: repair it again.`);
}

/** Reports whether nothing was stored since the log was cut off. */
async function endsWithCut(log: EventLog): Promise<boolean> {
  const head = await log.head();
  const page = (await log.proof?.page(head, head + 1)) ?? [];
  return page.some(({ seq, statements }) => seq === head && statements.some(({ kind }) => kind === 'cut'));
}
