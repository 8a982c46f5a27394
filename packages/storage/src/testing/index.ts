export { checkApplies } from './store-check.ts';
export { eventStoreContract } from './event-store-contract.ts';
export type { StoreCheck, StoreHarness } from './store-check.ts';
