import { StorageError } from '../contract/error.ts';
import type { LogProof } from '../contract/log-proof.ts';
import type { Statement } from '../contract/statement.ts';
import { mergeProof } from '../proof/proof-pages.ts';
import type { ConversationKey } from './events.ts';
import { readQuarantine } from './quarantine.ts';
import type { Read } from './read-rows.ts';
import { readSnapshots } from './snapshots.ts';
import { isLegacy } from './unsealed.ts';
import { type LogState, type Row, sealText, statementOf, type Statements, toLogState } from './statements.ts';

const pageLength = 256;

/** Creates the reader of a conversation's seals, statements and quarantine. */
export function logProof(statements: Statements, { id, key }: ConversationKey, read: Read): LogProof {
  const state = (): LogState => {
    const row = statements.logState.get(key);
    if (!row) throw new StorageError('missing', `Conversation ${id} was removed.`);
    return toLogState(row);
  };
  return {
    quarantine: () => readQuarantine(statements, key, read),
    snapshots: () => readSnapshots(statements, key, read),
    page: async (from, to) =>
      read(() => {
        const rows = statements.seals.all(key, from, to, pageLength);
        const seals = rows.map((row) => ({ seq: Number(row['seq']), seal: sealText(row['seal']) ?? '' }));
        const last = seals.at(-1);
        const end = last && seals.length === pageLength ? last.seq + 1 : to;
        const stated = statements.statements.all(key, from, end).map((row) => toStatement(id, row));
        return mergeProof(seals, stated);
      }),
    end: async () =>
      read(() => {
        const { head, seal, legacy } = state();
        const isSealed = head > 0 && !isLegacy(statements, { key, head, seal, legacy });
        // Without the seal of the conversation the end is not known: any other seal differs from that.
        return isSealed ? { head, seal: sealText(seal ?? undefined) ?? '' } : undefined;
      }),
  };
}

function toStatement(id: string, row: Row): Statement {
  const statement = statementOf(row);
  if (!statement) throw new StorageError('corrupt', `A stored statement of conversation ${id} is malformed.`);
  return statement;
}
