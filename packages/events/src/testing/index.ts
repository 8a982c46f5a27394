export { anyCharacter, type Integers } from './any-character.ts';
export { attemptChanges } from './attempt-changes.ts';
export { arbitraryLog, logOf, type ArbitraryLogOptions, type Log, type NumberLists } from './arbitrary-log.ts';
export { logContract, type LogCheck } from './log-contract.ts';
export { logEntriesOf } from './log-entries-of.ts';
export { edgeCaseTexts } from './edge-cases.ts';
export { projectionContract, type ProjectionCheck, type ProjectionSubject } from './projection-contract.ts';
export { partKindContract, type PartKindCheck, type PartKindSubject } from './part-kind-contract.ts';
export { eventFactory, type CallOptions, type EventFactory } from './event-factory.ts';
