import assert from 'node:assert/strict';
import type { EventLog } from '../contract/log.ts';
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

/** Members of a harness that only some stores have. */
type Need = Exclude<keyof StoreHarness, 'open'>;

/** Harness with the members that a check needs. */
type Given<Needed extends Need> = StoreHarness & Required<Pick<StoreHarness, Needed>>;

/** A check of one behaviour of a store. Throws within seconds if the store does not have it. */
export interface StoreCheck {
  readonly title: string;
  /** Members of the harness that this check needs; without them it does not apply to the store. */
  readonly needs: readonly Need[];
  run(harness: StoreHarness): Promise<void>;
}

/** Returns true if the harness has all members that the check needs. */
export function checkApplies({ needs }: Pick<StoreCheck, 'needs'>, harness: StoreHarness): boolean {
  return hasAll(needs, harness);
}

function hasAll<Needed extends Need>(needs: readonly Needed[], harness: StoreHarness): harness is Given<Needed> {
  return needs.every((need) => harness[need] !== undefined);
}

/** Makes a check of an empty store, which is disposed after it. */
export function storeCheck<const Needed extends Need>(
  title: string,
  needs: readonly Needed[],
  run: (given: Given<Needed> & { readonly store: EventStore }) => Promise<void>,
): StoreCheck {
  return {
    title,
    needs,
    async run(harness) {
      assert.ok(hasAll(needs, harness));
      await using store = await harness.open();
      await run({ ...harness, store });
    },
  };
}

/** Makes a check of the empty log of conversation `c` in a store of its own. */
export function logCheck<const Needed extends Need>(
  title: string,
  needs: readonly Needed[],
  run: (given: Given<Needed> & { readonly store: EventStore; readonly log: EventLog }) => Promise<void>,
): StoreCheck {
  return storeCheck(title, needs, async (given) => run({ ...given, log: await given.store.create('c', {}) }));
}
