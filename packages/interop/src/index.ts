export { activeBranch } from './common/active-branch.ts';
export { filesAt } from './common/files-at.ts';
export type { Dropped } from './common/dropped.ts';
export type {
  ForeignFiles,
  ForeignLog,
  LogFormat,
  Output,
  OutputFile,
  Problem,
  SignatureReport,
} from './common/log-format.ts';
export { InteropError, type InteropErrorCode } from './error.ts';
export { formats } from './formats.ts';
export { formatOf, readLogs, type ReadLogsOptions } from './read-logs.ts';
