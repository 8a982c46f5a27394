import { StorageError } from '../contract/error.ts';
import type { LogProof, ProofWriter } from '../contract/log-proof.ts';
import type { Cut } from '../contract/statement.ts';
import { checkBound, checkReplacements } from '../kit/checks.ts';
import { truncateWal } from './connection.ts';
import { readEvents, replaceText } from './events.ts';
import { maskQuarantined, quarantineEvents } from './quarantine.ts';
import { sealLegacyEvents } from './seals.ts';
import type { SqliteLogOptions } from './sqlite-log-options.ts';

/** What changes a log. */
export interface SqliteProofWriterOptions extends SqliteLogOptions {
  readonly proof: LogProof;
  /** Throws when the log is closed. */
  readonly checkOpen: () => void;
  /** Throws when the lease was taken over, else gives the head; in a transaction of the caller. */
  readonly checkLease: () => number;
}

/** Changes the log of the conversation whose lease is held. */
export function sqliteProofWriter(options: SqliteProofWriterOptions): ProofWriter {
  const { id, connection, lease, proof, checkOpen, checkLease } = options;
  const { statements, wake } = connection;
  return {
    ...proof,
    async cut(seq) {
      checkOpen();
      checkBound('cut', seq);
      const cut = await connection.write(() => {
        const end = checkLease();
        if (seq > end) throw new StorageError('invalid', `Conversation ${id} ends before event ${seq}.`);
        return cutOff(options, seq, end);
      });
      wake.fire(lease.key);
      return cut;
    },
    async replace(replacements) {
      checkOpen();
      await connection.write(() => {
        checkLease();
        const { key } = lease;
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
      checkOpen();
      const changed = await connection.write(() => {
        checkLease();
        statements.secureDelete.get();
        return maskQuarantined(statements, lease.key, mask);
      });
      await truncateWal(connection);
      return changed;
    },
  };
}

function cutOff(
  { id, connection: { statements }, leases, lease: { key }, now }: SqliteProofWriterOptions,
  seq: number,
  end: number,
): Cut {
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
  statements.setHead.run(seq, seal, at, leases.end(), key);
  sealLegacyEvents(statements, { key, id, head: seq, seal });
  statements.insertStatement.run(key, seq, JSON.stringify(cut));
  return cut;
}
