export {
  type AppendPlan,
  checkAppend,
  type CheckedAppend,
  isStorable,
  planAppend,
  sealAppend,
  type SealedAppend,
  type SealedNewEvent,
} from './append.ts';
export { checkBound, checkExpectedMeta, checkLogOpen, checkReplacements } from './checks.ts';
export { checkId, isId } from './conversation-id.ts';
export { diskError } from './disk-error.ts';
export { compareFacts, factsOf, parseFactQuery, scanFacts, toFactPage } from './facts.ts';
export { checkLease, type FoundLease, isDead, thisProcess } from './holder.ts';
export { jsonText } from './json.ts';
export { leasedLog, type LeasedLogParts } from './leased-log.ts';
export { compareSummaries, listPage, parseListQuery, toPage } from './listing.ts';
export { addToLog, type LoadedLog, loadedLog, loadedSource, prepareAppend } from './loaded-log.ts';
export { inlineLimit, joinText, type LongString, type SplitText, splitText } from './long-strings.ts';
export { type LogSource, readerOf } from './reader.ts';
export { rowLoss } from './row-loss.ts';
export { memorySnapshots } from './snapshots.ts';
export { type Wakeup, type Wakeups, wakeups } from './wakeups.ts';
export { digestOf, firstSeal, nextSeal } from '../proof/hash-chain.ts';
export { mergeProof } from '../proof/proof-pages.ts';
export { parseStatement } from '../proof/parse-statement.ts';
