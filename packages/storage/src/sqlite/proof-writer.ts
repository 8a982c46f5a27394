import { StorageError } from '../contract/error.ts';
import type { LogProof, ProofWriter } from '../contract/log-proof.ts';
import type { Cut } from '../contract/statement.ts';
import { checkBound, checkLogOpen, checkReplacements } from '../kit/checks.ts';
import { truncateWal } from './connection.ts';
import { readEvents, replaceText } from './events.ts';
import { failIfFenced, type LeasedConversation } from './lease.ts';
import { maskQuarantined, quarantineEvents, quarantineMalformed } from './quarantine.ts';
import type { LogState } from './statements.ts';
import { acceptUnsealed } from './unsealed.ts';

/** Dependencies of a proof writer that its log provides. */
export interface ProofWriterContext {
  readonly proof: LogProof;
  /** Aborts when the log is disposed. */
  readonly closed: AbortSignal;
}

/** Creates the proof writer of a conversation whose lease is held. */
export function proofWriter(conversation: LeasedConversation, { proof, closed }: ProofWriterContext): ProofWriter {
  const { id, connection, lease } = conversation;
  const { statements } = connection;
  const { key } = lease;
  /** Executes work in a transaction, with the end of the log. */
  const write = async <Result>(work: (state: LogState) => Result): Promise<Result> => {
    checkLogOpen(id, closed);
    return connection.write(() => work(failIfFenced(conversation)));
  };
  return {
    ...proof,
    async cut(seq) {
      checkBound('cut', seq);
      const cut = await write(({ head }) => {
        if (seq > head) throw new StorageError('invalid', `Conversation ${id} ends before event ${seq}.`);
        return cutOff(conversation, seq, head);
      });
      connection.wake.fire(key);
      return cut;
    },
    acceptUnsealed: () => write((state) => acceptUnsealed(statements, { id, key, ...state }, conversation.now())),
    quarantineMalformed: () => write(() => quarantineMalformed(statements, key, conversation.now())),
    async replace(replacements) {
      await write(() => replaceEvents(conversation, replacements));
      await truncateWal(connection);
    },
    async maskQuarantine(mask) {
      const changed = await write(() => {
        statements.secureDelete.get();
        return maskQuarantined(statements, key, mask);
      });
      await truncateWal(connection);
      return changed;
    },
  };
}

function replaceEvents(
  { id, connection: { statements }, lease: { key } }: LeasedConversation,
  replacements: Parameters<ProofWriter['replace']>[0],
): void {
  const find = (seq: number) => [...readEvents(statements, { id, key, from: seq, to: seq + 1, limit: 1 })][0];
  checkReplacements(id, replacements, find);
  statements.secureDelete.get();
  for (const { tombstone, text } of replacements) {
    replaceText(statements, { key, seq: tombstone.seq }, text);
    statements.insertStatement.run(key, tombstone.seq, JSON.stringify(tombstone));
  }
  statements.deleteSnapshotsAfter.run(key, -1);
}

function cutOff(conversation: LeasedConversation, seq: number, end: number): Cut {
  const { leases, now } = conversation;
  const { statements } = conversation.connection;
  const { key } = conversation.lease;
  const at = now();
  const cut: Cut = { kind: 'cut', seq, end, cause: 'repaired', at };
  quarantineEvents(statements, { key, from: seq, at });
  statements.quarantineStatements.run(at, key, seq);
  statements.deleteEvents.run(key, seq);
  statements.limitIndexedHead.run(seq, key);
  statements.deleteStatements.run(key, seq);
  statements.deleteSnapshotsAfter.run(key, seq);
  const before = statements.seals.all(key, seq - 1, seq, 1)[0]?.['seal'];
  const seal = before instanceof Uint8Array ? before : null;
  statements.setHead.run(seq, seal, at, leases.expiry(), key);
  statements.insertStatement.run(key, seq, JSON.stringify(cut));
  return cut;
}
