import { StorageError } from '../contract/error.ts';
import type { LogLoss } from '../contract/loss.ts';
import { rowLoss } from '../kit/row-loss.ts';
import type { ConversationRow, Statements } from './statements.ts';

/** A conversation whose rows are checked, in a transaction of the caller. */
export type CheckedConversation = Pick<ConversationRow, 'key' | 'id' | 'head' | 'seal' | 'legacy'>;

/** Finds the loss of event rows; `undefined` if there is exactly one for each event. */
export function findLoss(
  statements: Statements,
  { key, id, head }: Pick<CheckedConversation, 'key' | 'id' | 'head'>,
): LogLoss | undefined {
  const { count, first, last } = statements.eventCount.get(key) ?? {};
  if (Number(count) === head && Number(first ?? 0) === 0 && Number(last ?? -1) === head - 1) return undefined;
  return rowLoss({ id, head, seqs: statements.seqs.all(key).map((row) => Number(row['seq'])) });
}

/** Rejects a log that lost events. @throws {StorageError} `incomplete`. */
export function checkComplete(statements: Statements, conversation: CheckedConversation): void {
  const loss = findLoss(statements, conversation);
  if (loss) throw new StorageError('incomplete', loss.message);
}
