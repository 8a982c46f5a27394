import type { StoreCheck, StoreHarness } from './store-check.ts';

/** Whether the harness has what the check needs. */
export function checkApplies(check: StoreCheck, harness: StoreHarness): boolean {
  return (check.needs ?? []).every((need) => harness[need] !== undefined);
}
