import { StorageError } from '../contract/error.ts';
import type { LogProof } from '../contract/log-proof.ts';
import type { Statement } from '../contract/statement.ts';
import { parseJson } from '../kit/json.ts';
import { digestOf, firstSeal, nextSeal } from '../proof/hash-chain.ts';
import { mergeProof } from '../proof/proof-pages.ts';
import { parseStatement } from '../proof/parse-statement.ts';
import { type ConversationKey, readEvents } from './events.ts';
import { readQuarantine } from './quarantine.ts';
import { type ConversationRow, sealBytes, sealText, type Statements, toLogState } from './statements.ts';

/** Runs statements that only read, while the log is open. */
export type Read = <T>(work: () => T) => Promise<T>;

const pageLength = 256;

/** Creates the reader of a conversation's seals, statements and quarantine. */
export function logProof(statements: Statements, { id, key }: ConversationKey, read: Read): LogProof {
  return {
    quarantine: () => readQuarantine(statements, key, read),
    page: async (from, to) =>
      read(() => {
        const rows = statements.seals.all(key, from, to, pageLength);
        const seals = rows.map((row) => ({ seq: Number(row['seq']), seal: sealText(row['seal']) ?? '' }));
        const last = seals.at(-1);
        const end = last && seals.length === pageLength ? last.seq + 1 : to;
        const stated = statements.statements.all(key, from, end).map((row) => toStatement(id, row['json']));
        return mergeProof(seals, stated);
      }),
    end: async () =>
      read(() => {
        const row = statements.logState.get(key);
        if (!row) throw new StorageError('missing', `Conversation ${id} was removed.`);
        const { head, seal } = toLogState(row);
        const last = sealText(seal);
        return last === undefined ? undefined : { head, seal: last };
      }),
  };
}

function toStatement(id: string, json: unknown): Statement {
  const statement = parseStatement(parseJson(String(json)));
  if (!statement) throw new StorageError('corrupt', `A stored statement of conversation ${id} is malformed.`);
  return statement;
}

/**
 * Seals a log that was written by a version without seals, in a transaction of the caller. Does nothing for a log with
 * seals.
 */
export function sealLegacyEvents(
  statements: Statements,
  { key, id, head, seal }: Pick<ConversationRow, 'key' | 'id' | 'head' | 'seal'>,
): void {
  if (seal !== null || head === 0) return;
  let last = firstSeal(id);
  for (let next = 0; next < head;) {
    const page = [...readEvents(statements, { id, key, from: next, to: head, limit: pageLength })];
    // A gap is reported by readers.
    if (page[0]?.seq !== next) return;
    for (const event of page) {
      last = nextSeal(last, digestOf(event));
      statements.sealEvent.run(sealBytes(last), key, event.seq);
    }
    next += page.length;
  }
  statements.setSeal.run(sealBytes(last), key);
}
