export { historyFormat, writeHistory } from './history-format.ts';
export { historyText, HistoryWriter, type HistoryLine, type HistoryWriterOptions } from './history-writer.ts';
export { fromLogJson, logJsonFormat, toLogJson } from './log-json.ts';
export { toMcpbenchLogs, type LogMessage, type LogsOptions, type LogsProfile } from './logs.ts';
export { readHistory } from './read-history.ts';
export { costOf, keyStats, mcpbenchStats, type Cost, type KeyStats, type McpbenchStats } from './stats.ts';
export { stopOf, stopStatus, type Stop, type StopConditions, type TaskStatus } from './stop.ts';
export {
  resetMessage,
  truncationHistory,
  truncationMethods,
  truncationOf,
  turnsOf,
  type TruncationMethod,
  type TruncationRecord,
} from './truncation.ts';
