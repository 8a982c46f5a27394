import type { LogLoss } from '../contract/loss.ts';

/** Missing events of a conversation: those from `seq` on before `next`. */
export interface MissingEvents extends Pick<LogLoss, 'seq' | 'kept' | 'place'> {
  readonly id: string;
  readonly next: number;
}

/** Describes a loss of events in one sentence. */
export function missingMessage({ id, seq, next, kept, place }: MissingEvents): string {
  const isOne = next - 1 === seq;
  const what = `${isOne ? `Event ${seq}` : `Events ${seq} to ${next - 1}`} of conversation ${id}`;
  const rest = kept > 0 ? `${kept} of the later ones are still in ${place}` : 'no later ones are stored';
  return `${what} ${isOne ? 'is' : 'are'} missing; ${rest}.`;
}
