export { checkApplies } from './store-check.ts';
export { eventStoreContract } from './event-store-contract.ts';
export type { StoreHarness } from './store-check.ts';
export { sealLosses, tableAttacks } from './table-attacks.ts';
