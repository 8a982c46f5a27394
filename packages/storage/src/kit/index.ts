export {
  type AppendContext,
  type AppendPlan,
  checkAppend,
  type CheckedAppend,
  planAppend,
  type PlannedEvent,
  sealAppend,
  type SealContext,
  type SealedAppend,
  type SealedNewEvent,
} from './append.ts';
export { checkBound, checkId, checkLogOpen, checkReplacements, isId } from './checks.ts';
export { diskError } from './disk-error.ts';
export {
  compareFacts,
  type FactListing,
  type FactPosition,
  factsOf,
  parseFactQuery,
  scanFacts,
  toFactPage,
} from './facts.ts';
export { isDead, thisProcess } from './holder.ts';
export { jsonText } from './json.ts';
export { compareSummaries, type Listing, listPage, type ListPosition, parseListQuery, toPage } from './listing.ts';
export { leasedLog, type LeasedLogParts } from './leased-log.ts';
export {
  addToLog,
  type LoadedLog,
  type LoadedLogAccess,
  loadedLog,
  loadedSource,
  prepareAppend,
} from './loaded-log.ts';
export { type LogSource, readerOf } from './reader.ts';
export { type MemorySnapshots, memorySnapshots } from './snapshots.ts';
export { type Wakeup, type Wakeups, wakeups, type Watch } from './wakeups.ts';
export { mergeProof } from '../proof/proof-pages.ts';
export { parseStatement } from '../proof/parse-statement.ts';
