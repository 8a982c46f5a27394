export { agentStates, stateOfStatus, statusOfState } from './agent-states.ts';
export { eventDirectoryFormat } from './event-directory.ts';
export {
  matchesFilter,
  recordPage,
  searchRecords,
  type RecordFilter,
  type RecordPage,
  type RecordQuery,
} from './event-filter.ts';
export { EventStream, type EventStreamOptions, type RecordCallback, type RecordFiles } from './event-stream.ts';
export { pickledStateFormat } from './pickled-state.ts';
export { promptOfRecords, type PromptMessage, type PromptOptions, type PromptPart } from './prompt.ts';
export { readRecords } from './read-records.ts';
export { viewOfRecords, type RecordView } from './record-view.ts';
export type { V0Record } from './record.ts';
export { replayPlan, type ReplayPlan } from './replay.ts';
export { rebuiltMark } from './tool-calls.ts';
export { parseTrajectory, trajectoryFormat, trajectoryText } from './trajectory.ts';
export { writeRecords, type WrittenRecords } from './write-records.ts';
