import { type Holder, StorageError } from '@varve/storage';
import { checkLease } from '@varve/storage/kit';
import type { AppendQueue } from './append-queue.ts';
import type { Connection } from './connection.ts';
import type { Row, Session } from './session.ts';
import type { ConversationKey } from './events.ts';
import { columnMs, type Lease } from './heartbeat.ts';
import { type ConversationRow, type LogState, toConversation } from './rows.ts';

/** Lease settings of a store. */
export interface LeaseOptions {
  /** Process that takes the leases. */
  readonly holder: Holder;
}

/** A conversation whose lease this store took, with everything that writing to it needs. */
export interface LeasedConversation extends LeaseOptions {
  readonly id: string;
  readonly purpose: 'append' | 'repair';
  readonly connection: Connection;
  readonly appends: AppendQueue;
  readonly lease: Lease;
  /** Time of statements, in UTC milliseconds. */
  readonly now: () => number;
}

/** Shortest lease: its heartbeat is three times as frequent, over a network. */
const minLeaseMs = 250;
const maxLeaseMs = 86_400_000;

/** @throws {StorageError} `invalid` for a time that cannot be that of a lease. */
export function checkLeaseMs(leaseMs: number): void {
  if (Number.isInteger(leaseMs) && leaseMs >= minLeaseMs && leaseMs <= maxLeaseMs) return;
  throw new StorageError('invalid', `The leaseMs ${leaseMs} is not an integer from ${minLeaseMs} to ${maxLeaseMs}.`);
}

/** Rejects a conversation whose lease a live process holds. @throws {StorageError} `held`. */
export function checkFree(row: ConversationRow, holder: Holder, takeOver?: boolean): void {
  const { lease_host: host, lease_pid: pid, lease_boot: boot, lease_until: until } = row;
  if (!host || pid === null || boot === null || until === null) return;
  // By the clock of the database, which is that of all processes.
  if (until > row.now) checkLease(row.id, { host, pid, boot, until }, { holder, now: () => row.now, takeOver });
}

/** A lease to take. */
export interface TakenLease extends Pick<LeaseOptions, 'holder'> {
  readonly key: number;
  /** Name of the store. */
  readonly name: string;
  /** URL of this process for others; absent without one. */
  readonly address: string | undefined;
}

/** Takes the lease, from another holder if there is one; in a transaction that locked the conversation. */
export async function takeLease(
  session: Session,
  { sql }: Connection,
  { key, name, holder: { host, pid, boot }, address }: TakenLease,
): Promise<Lease> {
  const [row] = await session.query(sql.takeLease, [name, host, pid, boot, address ?? null, columnMs, key]);
  return { key, epoch: Number(row?.['lease_epoch']) };
}

/**
 * Returns the end of the log and keeps the lease from being taken over until the transaction ends.
 *
 * @throws {StorageError} `fenced` if it was.
 */
export async function lockLease(session: Session, conversation: LeasedConversation): Promise<LogState> {
  const { connection, lease } = conversation;
  return leasedState(conversation, await session.query(connection.sql.lockLogState, [lease.key]));
}

/** Returns the end of the log. @throws {StorageError} `fenced` if the lease was taken over. */
export async function readLeasedState(conversation: LeasedConversation): Promise<LogState> {
  const { connection, lease } = conversation;
  return leasedState(conversation, await connection.write(connection.sql.logState, [lease.key]));
}

function leasedState({ id, lease }: LeasedConversation, rows: readonly Row[]): LogState {
  const row = rows[0] && toConversation(rows[0]);
  if (row?.lease_epoch === lease.epoch) return { head: row.head, seal: row.seal };
  throw new StorageError('fenced', `Conversation ${id} was taken over from epoch ${lease.epoch}.`);
}

/** Returns the first row. @throws {StorageError} `missing` without one. */
export function existing(id: string, [row]: readonly Row[]): Row {
  if (row) return row;
  throw new StorageError('missing', `There is no conversation ${id}.`);
}

/** Key of a leased conversation. */
export function keyOf({ id, lease }: LeasedConversation): ConversationKey {
  return { id, key: lease.key };
}
