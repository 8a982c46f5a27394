export {
  checkAppend,
  type CheckedAppend,
  isStorable,
  planAppend,
  sealAppend,
  type SealedAppend,
  type SealedNewEvent,
} from './append.ts';
export {
  checkBound,
  checkExpectedMeta,
  checkLogOpen,
  checkOwnerName,
  checkReplacements,
  checkStoreOpen,
} from './checks.ts';
export { checkId, isId } from './conversation-id.ts';
export { diskError } from './disk-error.ts';
export { factsOf, parseFactQuery, scanFacts, toFactPage } from './facts.ts';
export { checkLease, isDead, isVisible, thisProcess } from './holder.ts';
export { jsonText } from './json.ts';
export { leasedLog } from './leased-log.ts';
export { listingOf, parseListQuery, toPage } from './listing.ts';
export { addToLog, loadedLog, loadedSource, prepareAppend, type LoadedLog } from './loaded-log.ts';
export { inlineLimit, joinText, type LongString, splitText } from './long-strings.ts';
export { openLogs } from './open-logs.ts';
export { type LogSource, readerOf } from './reader.ts';
export { rowLoss } from './row-loss.ts';
export { sealBytes, sealText, statementOf, toStatements, toSummary } from './rows.ts';
export { unlessMissing } from './unless-missing.ts';
export { type Wakeups, wakeups } from './wakeups.ts';
export { type StoreOverrides, wrapStore } from './wrap-store.ts';
export type { CountQuery } from '../contract/store.ts';
export { digestOf, firstSeal, nextSeal } from '../proof/hash-chain.ts';
export { mergeProof } from '../proof/proof-pages.ts';
