import { randomUUID } from 'node:crypto';
import { StorageError } from '../contract/error.ts';
import { checkLease, type FoundLease, type Holder } from '../kit/holder.ts';
import type { Connection } from './connection.ts';
import { type ConversationRow, type LogState, type Statements, toLogState } from './statements.ts';

/** Lease settings of a store. */
export interface LeaseOptions {
  /** Milliseconds until a lease expires if it is not renewed. */
  readonly leaseMs: number;
  /** UTC milliseconds. */
  readonly now: () => number;
  /** Process that takes the leases. */
  readonly holder: Holder;
}

/** The right to append: valid while the conversation's row has this epoch. Keys are never reused. */
export interface Lease {
  readonly key: number;
  readonly epoch: number;
}

/** Takes, renews and releases leases. Every method runs inside a transaction of the caller. */
export interface Leases {
  /**
   * Rejects a conversation whose lease a live process holds; with `takeOver`, only if this process can see that.
   *
   * @throws {StorageError} `held`.
   */
  checkFree(row: ConversationRow, takeOver?: boolean): void;
  /** Takes the lease, from another holder if there is one. */
  take(row: Pick<ConversationRow, 'key' | 'lease_epoch'>): Lease;
  /** Renews the lease; does nothing if it was taken over. */
  renew(lease: Lease): void;
  /** Releases the lease; does nothing if it was taken over. */
  release(lease: Lease): void;
  /** Returns the expiry of a lease renewed now, in UTC milliseconds. */
  expiry(): number;
}

/** Creates the leases of one store. */
export function leases(statements: Statements, { leaseMs, now, holder }: LeaseOptions): Leases {
  const store = randomUUID();
  const expiry = (): number => now() + leaseMs;
  return {
    checkFree(row, takeOver) {
      const other = holderOf(row);
      if (other) checkLease(row.id, other, { holder, now, takeOver });
    },
    take({ key, lease_epoch }) {
      const epoch = lease_epoch + 1;
      statements.takeLease.run(epoch, store, holder.host, holder.pid, holder.boot, expiry(), key);
      return { key, epoch };
    },
    renew: ({ key, epoch }) => void statements.renewLease.run(expiry(), key, epoch),
    release: ({ key, epoch }) => void statements.releaseLease.run(key, epoch),
    expiry,
  };
}

/** A conversation whose lease this store took, with everything that writing to it needs. */
export interface LeasedConversation {
  readonly id: string;
  readonly connection: Connection;
  readonly leases: Leases;
  readonly lease: Lease;
  /** Reason for opening; a log opened for repair may have lost events or seals. */
  readonly purpose: 'append' | 'repair';
  /** UTC milliseconds. */
  readonly now: () => number;
}

/**
 * Rejects a write if another holder took over the lease, and otherwise returns the state of the log. It runs in the
 * transaction of the write, so the lease cannot be taken over in between.
 *
 * @throws {StorageError} `fenced`.
 */
export function failIfFenced({ id, connection, lease: { key, epoch } }: LeasedConversation): LogState {
  const row = connection.statements.logState.get(key);
  if (row?.['lease_epoch'] === epoch) return toLogState(row);
  throw new StorageError('fenced', `Conversation ${id} was taken over from epoch ${epoch}.`);
}

function holderOf(row: ConversationRow): FoundLease | undefined {
  const { lease_host: host, lease_pid: pid, lease_boot: boot, lease_until: until } = row;
  if (host === null || pid === null || boot === null || until === null) return undefined;
  return { host, pid, boot, until };
}
