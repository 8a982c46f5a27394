export { historyText } from './history-writer.ts';
export { fromLogJson, toLogJson } from './log-json.ts';
export { toMcpbenchLogs } from './logs.ts';
export { costOf, keyStats, mcpbenchStats, type Cost } from './stats.ts';
export { stopOf, stopStatus, type Stop } from './stop.ts';
export { resetMessage, truncationHistory, truncationMethods, truncationOf, turnsOf } from './truncation.ts';
