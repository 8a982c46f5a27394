import { StorageError } from '../contract/error.ts';
import type { LogProof } from '../contract/log-proof.ts';
import type { Statement } from '../contract/statement.ts';
import { digestOf, firstSeal, nextSeal } from '../proof/hash-chain.ts';
import { parseStatement } from '../proof/parse-statement.ts';
import { mergeProof } from '../proof/proof-pages.ts';
import { readEvents } from './events.ts';
import { type ConversationRow, sealBytes, sealText, type Statements } from './statements.ts';

/** Where the proof of one conversation is read. */
export interface SqliteProofOptions {
  readonly id: string;
  readonly key: number;
  readonly read: <T>(work: () => T) => Promise<T>;
}

const pageLength = 256;

/** Reads what is kept beside the log of the conversation with this key. */
export function sqliteProof(statements: Statements, { id, key, read }: SqliteProofOptions): LogProof {
  return {
    async *quarantine() {
      for (let number = 0; ;) {
        const after = number;
        const row = await read(() => statements.quarantined.get(key, after));
        if (!row) return;
        yield String(row['json']);
        number = Number(row['number']);
      }
    },
    page: async (from, to) =>
      read(() => {
        const rows = statements.seals.all(key, from, to, pageLength);
        const seals = rows.map((row) => ({ seq: Number(row['seq']), seal: sealText(row['seal']) ?? '' }));
        const last = seals.at(-1);
        const end = last && seals.length === pageLength ? last.seq + 1 : to;
        const noted = statements.statements.all(key, from, end).map((row) => toStatement(id, row['json']));
        return mergeProof(seals, noted);
      }),
    end: async () =>
      read(() => {
        const row = statements.state.get(key);
        if (!row) throw new StorageError('missing', `Conversation ${id} was removed.`);
        const seal = sealText(row['seal']);
        return seal === undefined ? undefined : { head: Number(row['head']), seal };
      }),
  };
}

function toStatement(id: string, json: unknown): Statement {
  const statement = parseStatement(parsed(String(json)));
  if (!statement) throw new StorageError('corrupt', `A statement about conversation ${id} says nothing.`);
  return statement;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Seals, in the caller's transaction, a log that a version without seals wrote. Costs nothing when there is none. */
export function sealLegacyEvents(
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
