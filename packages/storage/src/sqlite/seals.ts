import { StorageError } from '../contract/error.ts';
import type { LogProof } from '../contract/log-proof.ts';
import type { Statement } from '../contract/statement.ts';
import { parseJson } from '../kit/json.ts';
import { mergeProof } from '../proof/proof-pages.ts';
import { parseStatement } from '../proof/parse-statement.ts';
import type { ConversationKey } from './events.ts';
import { readQuarantine } from './quarantine.ts';
import type { Read } from './read-rows.ts';
import { readSnapshots } from './snapshots.ts';
import { type LogState, sealText, type Statements, toLogState } from './statements.ts';

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
        const stated = statements.statements.all(key, from, end).map((row) => toStatement(id, row['json']));
        return mergeProof(seals, stated);
      }),
    end: async () =>
      read(() => {
        const { head, seal } = state();
        const last = sealText(seal ?? undefined);
        return last === undefined ? undefined : { head, seal: last };
      }),
    sealedOnce: async () =>
      read(() => {
        const { head, seal, legacy } = state();
        return seal === null && legacy > 0 ? undefined : { head, seal: sealText(seal ?? undefined) };
      }),
  };
}

function toStatement(id: string, json: unknown): Statement {
  const statement = parseStatement(parseJson(String(json)));
  if (!statement) throw new StorageError('corrupt', `A stored statement of conversation ${id} is malformed.`);
  return statement;
}
