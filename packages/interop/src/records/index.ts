export { fieldsOf, integerOf, stringOf, type Fields } from '../common/foreign-json.ts';
export { agentStates, stateOfStatus, statusOfState } from '../v0/agent-states.ts';
export { matchesFilter, recordPage, searchRecords, type RecordQuery } from '../v0/event-filter.ts';
export { readRecords } from '../v0/read-records.ts';
export { foreignCallOf, inKeyOrder, type V0Record } from '../v0/tool-calls.ts';
export { parseTrajectory, trajectoryText } from '../v0/trajectory.ts';
export { writeRecords } from '../v0/write-records.ts';
export { canonicalJson, parseExactJson } from '../orxhestra/canonical-json.ts';
export {
  eventOf as orxhestraEventOf,
  newEvent as newOrxhestraEvent,
  type Event as OrxhestraEvent,
  type Part as OrxhestraPart,
} from '../orxhestra/event.ts';
export { isTruthy, propertiesOf as orxhestraProperties } from '../orxhestra/properties.ts';
export { readEvents as readOrxhestraEvents } from '../orxhestra/read-events.ts';
export { sessionStateOf } from '../orxhestra/session-state.ts';
export { signEvents, verifyEvents, signablePayload, signEvent, verifySignature } from '../orxhestra/trust.ts';
export { writeSession } from '../orxhestra/write-events.ts';
export { finishedInstances } from '../evaluation/read-evaluation.ts';
export { historyText } from '../mcpbench/history-writer.ts';
export { fromLogJson, toLogJson } from '../mcpbench/log-json.ts';
export { toMcpbenchLogs } from '../mcpbench/logs.ts';
export { costOf, keyStats, mcpbenchStats, type Cost, stopOf, stopStatus, type Stop } from '../mcpbench/stats.ts';
