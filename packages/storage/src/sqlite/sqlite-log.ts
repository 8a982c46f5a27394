import type { EventLog } from '../contract/log.ts';
import { type CheckedAppend, planAppend, sealAppend } from '../kit/append.ts';
import { leasedLog } from '../kit/leased-log.ts';
import { findStored, insertEvent } from './events.ts';
import { failIfFenced, type LeasedConversation } from './lease.ts';
import { proofWriter } from './proof-writer.ts';
import { snapshotCache } from './snapshots.ts';
import { logSource } from './source.ts';
import { checkIntact } from './unsealed.ts';
import { sealBytes, sealText } from '../kit/rows.ts';

// The way of an append: `leasedLog` checks its arguments, `Connection.write` queues it, the write queue opens a
// transaction, `append` below stores it, and the commit syncs the disk.

/** Creates the writable log of a conversation whose lease was just taken. */
export function sqliteLog(
  options: LeasedConversation & { readonly leaseMs: number; readonly onClose: () => void },
): EventLog {
  const { id, connection, leases, lease, leaseMs, onClose } = options;
  const closing = new AbortController();
  const reading = { id, key: lease.key, closed: closing.signal };
  const source = logSource(connection, reading);
  return leasedLog(closing, {
    source,
    atomicity: 'all',
    epoch: lease.epoch,
    snapshots: snapshotCache(connection, { ...reading, epoch: lease.epoch, isHeld: true }),
    proof: proofWriter(options, { proof: source.proof, closed: closing.signal }),
    append: async (checked) => connection.write(() => append(options, checked)),
    wake: () => connection.wake.fire(lease.key),
    renew: async () => connection.write(() => leases.renew(lease)),
    renewMs: leaseMs / 3,
    release: async () => connection.write(() => leases.release(lease)),
    onClose,
  });
}

/** Stores an append, in a transaction of the write queue, which may repeat it. */
function append(conversation: LeasedConversation, checked: CheckedAppend): readonly number[] {
  const { id, connection, leases, lease, now } = conversation;
  const { statements } = connection;
  const { key } = lease;
  if (conversation.purpose === 'repair') checkIntact(statements, { id, key, ...failIfFenced(conversation) }, now());
  const { head, seal } = failIfFenced(conversation);
  const { expectedHead, metaText } = checked;
  const find = (eventId: string) => findStored(statements, { id, key }, eventId);
  const plan = planAppend(checked.events, { id, head, expectedHead, find });
  const at = now();
  const { events, statements: signed, last } = sealAppend(plan, checked, { id, head, seal: sealText(seal), at });
  for (const event of events) insertEvent(statements, key, event);
  for (const statement of signed) statements.insertStatement.run(key, statement.seq, JSON.stringify(statement));
  if (metaText !== undefined) statements.setMeta.run(metaText, key);
  if (events.length > 0 || metaText !== undefined) {
    statements.setHead.run(head + events.length, sealBytes(last), at, leases.expiry(), key);
  }
  return plan.seqs;
}
