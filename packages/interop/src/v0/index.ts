export { agentStates, stateOfStatus, statusOfState } from './agent-states.ts';
export { eventDirectoryFormat } from './event-directory.ts';
export { pickledStateFormat } from './pickled-state.ts';
export { readRecords } from './read-records.ts';
export type { V0Record } from './record.ts';
export { rebuiltMark } from './tool-calls.ts';
export { parseTrajectory, trajectoryFormat, trajectoryText } from './trajectory.ts';
export { writeRecords, type WrittenRecords } from './write-records.ts';
