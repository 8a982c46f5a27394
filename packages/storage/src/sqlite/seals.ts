import { StorageError } from '../contract/error.ts';
import type { LogProof } from '../contract/log-proof.ts';
import { mergeProof } from '../proof/proof-pages.ts';
import type { ConversationKey } from './events.ts';
import { readQuarantine } from './quarantine.ts';
import type { Read } from './read-rows.ts';
import { readSnapshots } from './snapshots.ts';
import { isLegacy } from './unsealed.ts';
import { type LogState, type Statements, toLogState } from './statements.ts';
import { sealText, toStatements } from '../kit/rows.ts';

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
        return mergeProof(seals, toStatements(id, statements.statements.all(key, from, end)));
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
