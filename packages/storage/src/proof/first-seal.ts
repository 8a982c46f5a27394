import { createHash } from 'node:crypto';

/** What stands before the seal of event 0: it names the conversation, so that one log cannot pass for another. */
export function firstSeal(conversation: string): string {
  return createHash('sha256').update(`varve.seal.1\n${conversation}`).digest('hex');
}
