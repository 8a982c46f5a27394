import type { EventStore } from '../contract/store.ts';

/** How the checks get at a store. One harness serves one check. */
export interface StoreHarness {
  /** Makes a new, empty store. Called once by each check, which disposes it. */
  readonly open: () => Promise<EventStore>;
  /** Opens another handle on the data of that store, as another process would; the check disposes it. */
  readonly reopen?: () => Promise<EventStore>;
  /**
   * Opens a handle on what a kill of the process would leave of the store now, without closing the handle that is given,
   * which does nothing afterwards but being disposed: on a copy of its files, or on the same ones. Whoever held leases
   * counts as dead.
   */
  readonly crash?: (store: EventStore) => Promise<EventStore>;
  /** Makes the leases held now run out without their holders knowing, for instance by moving an injected clock. */
  readonly expireLeases?: () => void;
  /** Set for stores whose logs have a `proof`. */
  readonly keepsProof?: true;
  /** Set for stores with `facts`. */
  readonly findsFacts?: true;
}

/** One thing that every store does. It throws, within seconds, when the store does not. */
export interface StoreCheck {
  readonly title: string;
  /** What the harness must have for this check; stores without it have no such behaviour to check. */
  readonly needs?: readonly ('reopen' | 'crash' | 'expireLeases' | 'keepsProof' | 'findsFacts')[];
  run(harness: StoreHarness): Promise<void>;
}

/** Whether the harness has what the check needs. */
export function checkApplies(check: StoreCheck, harness: StoreHarness): boolean {
  return (check.needs ?? []).every((need) => harness[need] !== undefined);
}
