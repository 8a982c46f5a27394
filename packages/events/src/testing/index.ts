export { anyCharacter } from './any-character.ts';
export { attemptChanges } from './attempt-changes.ts';
export { arbitraryLog, type Log } from './arbitrary-log.ts';
export { logEntriesOf } from './log-entries-of.ts';
export { projectionContract } from './projection-contract.ts';
export { partKindContract } from './part-kind-contract.ts';
export { eventFactory } from './event-factory.ts';
