import { digestOf } from '../proof/digest-of.ts';
import { firstSeal } from '../proof/first-seal.ts';
import { nextSeal } from '../proof/next-seal.ts';
import { readEvents } from './read-events.ts';
import type { ConversationRow } from './rows.ts';
import { sealBytes } from './seal-bytes.ts';
import type { Statements } from './statements.ts';

const pageLength = 256;

/** Seals, in the caller's transaction, a log that a version without seals wrote. Costs nothing when there is none. */
export function sealRest(
  statements: Statements,
  { key, id, head, seal }: Pick<ConversationRow, 'key' | 'id' | 'head' | 'seal'>,
): void {
  if (seal !== null || head === 0) return;
  let last = firstSeal(id);
  for (let next = 0; next < head;) {
    const page = [...readEvents(statements, { id, key, from: next, to: head, limit: pageLength })];
    // A gap is for readers to find.
    if (page[0]?.seq !== next) return;
    for (const event of page) {
      last = nextSeal(last, digestOf(event));
      statements.sealEvent.run(sealBytes(last), key, event.seq);
    }
    next += page.length;
  }
  statements.setSeal.run(sealBytes(last), key);
}
