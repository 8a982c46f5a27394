import { StorageError } from '../contract/error.ts';
import type { LogProof, ProofWriter } from '../contract/log-proof.ts';
import type { Cut } from '../contract/statement.ts';
import { checkBound, checkLogOpen, checkReplacements } from '../kit/checks.ts';
import { truncateWal } from './connection.ts';
import { readEvents, replaceText } from './events.ts';
import { failIfFenced, type LeasedConversation } from './lease.ts';
import { maskQuarantined, quarantineEvents, quarantineMalformed } from './quarantine.ts';
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
  const { statements, wake } = connection;
  const { key } = lease;
  return {
    ...proof,
    async cut(seq) {
      checkLogOpen(id, closed);
      checkBound('cut', seq);
      const cut = await connection.write(() => {
        const { head } = failIfFenced(conversation);
        if (seq > head) throw new StorageError('invalid', `Conversation ${id} ends before event ${seq}.`);
        return cutOff(conversation, seq, head);
      });
      wake.fire(key);
      return cut;
    },
    async acceptUnsealed() {
      checkLogOpen(id, closed);
      return connection.write(() => {
        const state = failIfFenced(conversation);
        return acceptUnsealed(statements, { id, key, ...state }, conversation.now());
      });
    },
    async quarantineMalformed() {
      checkLogOpen(id, closed);
      return connection.write(() => {
        failIfFenced(conversation);
        return quarantineMalformed(statements, key, conversation.now());
      });
    },
    async replace(replacements) {
      checkLogOpen(id, closed);
      await connection.write(() => {
        failIfFenced(conversation);
        const find = (seq: number) => [...readEvents(statements, { id, key, from: seq, to: seq + 1, limit: 1 })][0];
        checkReplacements(id, replacements, find);
        statements.secureDelete.get();
        for (const { tombstone, text } of replacements) {
          replaceText(statements, { key, seq: tombstone.seq }, text);
          statements.insertStatement.run(key, tombstone.seq, JSON.stringify(tombstone));
        }
        statements.deleteSnapshotsAfter.run(key, -1);
      });
      await truncateWal(connection);
    },
    async maskQuarantine(mask) {
      checkLogOpen(id, closed);
      const changed = await connection.write(() => {
        failIfFenced(conversation);
        statements.secureDelete.get();
        return maskQuarantined(statements, key, mask);
      });
      await truncateWal(connection);
      return changed;
    },
  };
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
