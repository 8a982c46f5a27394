import type { EventStore } from '../contract/store.ts';

/** Access of a check to the store under test. Each check needs a new harness. */
export interface StoreHarness {
  /** Creates an empty store. Called once by each check, which disposes it. */
  readonly open: () => Promise<EventStore>;
  /** Opens another handle on the store's data, as another process would. The check disposes it. */
  readonly reopen?: () => Promise<EventStore>;
  /**
   * Opens a handle on the data that a kill of the process would leave now: on a copy of the store's files or on the
   * same ones. Must not close the given handle, which is only disposed afterwards. All lease holders count as dead.
   */
  readonly crash?: (store: EventStore) => Promise<EventStore>;
  /** Makes all current leases expire without notice to their holders, for instance by advancing an injected clock. */
  readonly expireLeases?: () => void | Promise<void>;
  /** Set for stores whose logs have a `proof`. */
  readonly keepsProof?: true;
  /** Set for stores with `facts`. */
  readonly findsFacts?: true;
}

/** A check of one behaviour of a store. Throws within seconds if the store does not have it. */
export interface StoreCheck {
  readonly title: string;
  /** Members of the harness that this check needs; without them it does not apply to the store. */
  readonly needs?: readonly ('reopen' | 'crash' | 'expireLeases' | 'keepsProof' | 'findsFacts')[];
  run(harness: StoreHarness): Promise<void>;
}

/** Returns true if the harness has all members that the check needs. */
export function checkApplies(check: StoreCheck, harness: StoreHarness): boolean {
  return (check.needs ?? []).every((need) => harness[need] !== undefined);
}
