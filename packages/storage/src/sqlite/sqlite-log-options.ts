import type { Connection } from './connection.ts';
import type { Lease, LeaseOptions, Leases } from './lease.ts';

/** What a log is made of. */
export interface SqliteLogOptions extends Pick<LeaseOptions, 'leaseMs' | 'now'> {
  readonly id: string;
  readonly connection: Connection;
  readonly leases: Leases;
  readonly lease: Lease;
  readonly onClose: () => void;
}
