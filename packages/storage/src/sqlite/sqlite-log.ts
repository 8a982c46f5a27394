import { StorageError } from '../contract/error.ts';
import type { EventLog } from '../contract/log.ts';
import { type CheckedAppend, checkAppend, planAppend, sealAppend } from '../kit/append.ts';
import { readerOf } from '../kit/reader.ts';
import { findStored, insertEvent } from './events.ts';
import { failIfFenced, type LeasedConversation } from './lease.ts';
import { proofWriter } from './proof-writer.ts';
import { snapshotCache } from './snapshots.ts';
import { logSource } from './source.ts';
import { sealBytes, sealText } from './statements.ts';

/** Options of `sqliteLog`. */
export interface SqliteLogOptions extends LeasedConversation {
  readonly leaseMs: number;
  readonly onClose: () => void;
}

/** Creates the writable log of a conversation whose lease was just taken. It renews the lease until it is disposed. */
export function sqliteLog(options: SqliteLogOptions): EventLog {
  const { id, connection, leases, lease, leaseMs, onClose } = options;
  const closing = new AbortController();
  const reading = { id, key: lease.key, closed: closing.signal };
  const source = logSource(connection, reading);
  const checkOpen = (): void => {
    if (closing.signal.aborted) throw new StorageError('closed', `The log of conversation ${id} is closed.`);
  };
  // A lease that could not be renewed is retried; it is lost only when another holder takes it over.
  const renew = (): unknown => connection.write(() => leases.renew(lease)).catch(() => {});
  const timer = setInterval(renew, leaseMs / 3).unref();
  const close = async (): Promise<void> => {
    closing.abort();
    clearInterval(timer);
    connection.wake.fire(lease.key);
    // Queued after pending appends. A lease that could not be released expires.
    await connection.write(() => leases.release(lease)).catch(() => {});
    onClose();
  };
  let closed: Promise<void> | undefined;
  return {
    ...readerOf(source),
    atomicity: 'all',
    epoch: lease.epoch,
    snapshots: snapshotCache(connection, reading),
    proof: proofWriter(options, { proof: source.proof, checkOpen }),
    async append(events, appendOptions) {
      checkOpen();
      const checked = checkAppend(events, appendOptions);
      const seqs = await connection.write(() => append(options, checked));
      connection.wake.fire(lease.key);
      return seqs;
    },
    async [Symbol.asyncDispose]() {
      closed ??= close();
      return closed;
    },
  };
}

/** Stores an append, in a transaction of the write queue. */
function append(conversation: LeasedConversation, checked: CheckedAppend): readonly number[] {
  const { id, connection, leases, lease, now } = conversation;
  const { statements } = connection;
  const { key } = lease;
  const { head, seal } = failIfFenced(conversation);
  const { expectedHead, metaText } = checked;
  const find = (eventId: string) => findStored(statements, { id, key }, eventId);
  const plan = planAppend(checked.events, { id, head, expectedHead, find });
  const at = now();
  const { events, statements: signed, last } = sealAppend(plan, checked, { id, head, seal: sealText(seal), at });
  for (const event of events) insertEvent(statements, key, event);
  for (const one of signed) statements.insertStatement.run(key, one.seq, JSON.stringify(one));
  if (metaText !== undefined) statements.setMeta.run(metaText, key);
  if (events.length > 0 || metaText !== undefined) {
    statements.setHead.run(head + events.length, sealBytes(last), at, leases.expiry(), key);
  }
  return plan.seqs;
}
