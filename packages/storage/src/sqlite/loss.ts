import { StorageError } from '../contract/error.ts';
import type { LogLoss } from '../contract/loss.ts';
import { missingMessage } from '../kit/missing-message.ts';
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
  const all = statements.seqs.all(key).map((row) => Number(row['seq']));
  const seqs = all.filter((one) => one >= 0);
  const gap = seqs.findIndex((seq, index) => seq !== index);
  const seq = Math.min(gap === -1 ? seqs.length : gap, head);
  const end = Math.max(head, Number(last ?? -1) + 1);
  const kept = all.filter((other) => other > seq || other < 0).length;
  const next = seqs.find((other) => other >= seq) ?? (seq === head ? all[0] : undefined) ?? end;
  const place = 'table event';
  const message =
    seq === head
      ? `Event ${next} is stored outside of the ${head} events of conversation ${id}, in ${place}.`
      : missingMessage({ id, seq, next, kept, place });
  return { seq, end, reason: 'missing', kept, place, quarantine: 'table quarantine', message };
}

/** Rejects a log that lost events. @throws {StorageError} `incomplete`. */
export function checkComplete(statements: Statements, conversation: CheckedConversation): void {
  const loss = findLoss(statements, conversation);
  if (loss) throw new StorageError('incomplete', loss.message);
}
