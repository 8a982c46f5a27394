import { randomUUID } from 'node:crypto';
import { StorageError } from '../contract/error.ts';
import { type Holder, isDead } from '../kit/holder.ts';
import type { ConversationRow, Statements } from './statements.ts';

/** How leases are held. */
export interface LeaseOptions {
  /** How long a lease lasts without being renewed. */
  readonly leaseMs: number;
  /** UTC milliseconds. */
  readonly now: () => number;
  /** Who takes them. */
  readonly holder: Holder;
}

/** The right to append: valid while the conversation's row has this epoch. Keys are never used twice. */
export interface Lease {
  readonly key: number;
  readonly epoch: number;
}

/** Takes, renews and releases leases. Every method runs inside a transaction of the caller. */
export interface Leases {
  /** @throws {StorageError} `held` when a live holder has it. */
  checkFree(row: ConversationRow): void;
  /** Takes the lease, from whoever had it. */
  take(row: Pick<ConversationRow, 'key' | 'lease_epoch'>): Lease;
  /** Does nothing when it was taken over. */
  renew(lease: Lease): void;
  /** Does nothing when it was taken over. */
  release(lease: Lease): void;
  /** The time until which a lease renewed now lasts. */
  end(): number;
}

/** The leases of one store. */
export function leases(statements: Statements, { leaseMs, now, holder }: LeaseOptions): Leases {
  const store = randomUUID();
  const end = (): number => now() + leaseMs;
  return {
    checkFree(row) {
      const other = holderOf(row);
      if (!other || other.until <= now() || isDead(other, holder)) return;
      const until = new Date(other.until).toISOString();
      const who = `process ${other.pid} on ${other.host}`;
      throw new StorageError('held', `Conversation ${row.id} is held by ${who} until ${until} or longer.`);
    },
    take({ key, lease_epoch }) {
      const epoch = lease_epoch + 1;
      statements.takeLease.run(epoch, store, holder.host, holder.pid, holder.boot, end(), key);
      return { key, epoch };
    },
    renew: ({ key, epoch }) => void statements.renewLease.run(end(), key, epoch),
    release: ({ key, epoch }) => void statements.releaseLease.run(key, epoch),
    end,
  };
}

function holderOf(row: ConversationRow): (Holder & { readonly until: number }) | undefined {
  const { lease_host: host, lease_pid: pid, lease_boot: boot, lease_until: until } = row;
  if (host === null || pid === null || boot === null || until === null) return undefined;
  return { host, pid, boot, until };
}
