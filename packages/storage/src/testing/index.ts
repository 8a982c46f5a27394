export { checkApplies } from './check-applies.ts';
export { eventStoreContract } from './event-store-contract.ts';
export type { StoreCheck, StoreHarness } from './store-check.ts';
