export {
  type AppendPlan,
  checkAppend,
  type CheckedAppend,
  planAppend,
  sealAppend,
  type SealedAppend,
  type SealedNewEvent,
} from './append.ts';
export { checkBound, checkLogOpen, checkReplacements } from './checks.ts';
export { checkId, isId } from './conversation-id.ts';
export { diskError } from './disk-error.ts';
export { compareFacts, factsOf, parseFactQuery, scanFacts, toFactPage } from './facts.ts';
export { isDead, thisProcess } from './holder.ts';
export { jsonText } from './json.ts';
export { leasedLog, type LeasedLogParts } from './leased-log.ts';
export { compareSummaries, listPage, parseListQuery, toPage } from './listing.ts';
export { addToLog, type LoadedLog, loadedLog, loadedSource, prepareAppend } from './loaded-log.ts';
export { type LogSource, readerOf } from './reader.ts';
export { memorySnapshots } from './snapshots.ts';
export { type Wakeup, type Wakeups, wakeups } from './wakeups.ts';
export { mergeProof } from '../proof/proof-pages.ts';
export { parseStatement } from '../proof/parse-statement.ts';
