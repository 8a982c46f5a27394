export { anyCharacter } from './any-character.ts';
export { attemptChanges } from './attempt-changes.ts';
export { arbitraryLog, type Log } from './arbitrary-log.ts';
export { logEntriesOf } from './log-entries-of.ts';
export { projectionContract, type ProjectionSubject } from './projection-contract.ts';
export { partKindContract, type PartKindSubject } from './part-kind-contract.ts';
export { eventFactory, type EventFactory } from './event-factory.ts';
