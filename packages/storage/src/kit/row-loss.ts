import type { LogLoss } from '../contract/loss.ts';
import { missingMessage } from './missing-message.ts';

/** Rows of the events of a conversation. */
export interface EventRows {
  readonly id: string;
  readonly head: number;
  /** Seqs of the rows, ascending; negative ones are part of no log. */
  readonly seqs: readonly number[];
}

/** Describes the loss of a log in tables; `undefined` if there is exactly one row for each event. */
export function rowLoss({ id, head, seqs: all }: EventRows): LogLoss | undefined {
  const seqs = all.filter((number) => number >= 0);
  const gap = seqs.findIndex((seq, index) => seq !== index);
  const seq = Math.min(gap === -1 ? seqs.length : gap, head);
  const end = Math.max(head, (all.at(-1) ?? -1) + 1);
  const kept = all.filter((other) => other > seq || other < 0).length;
  if (gap === -1 && all.length === head && seqs.length === head) return undefined;
  const next = seqs.find((other) => other >= seq) ?? (seq === head ? all[0] : undefined) ?? end;
  const place = 'table event';
  const message =
    seq === head
      ? `Event ${next} is stored outside of the ${head} events of conversation ${id}, in ${place}.`
      : missingMessage({ id, seq, next, kept, place });
  return { seq, end, reason: 'missing', kept, place, quarantine: 'table quarantine', message };
}
