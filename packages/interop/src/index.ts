export { activeBranch } from './common/active-branch.ts';
export { filesAt } from './common/files-at.ts';
export type { Dropped } from './common/origins.ts';
export type {
  ForeignFiles,
  ForeignLog,
  LogFormat,
  Output,
  OutputFile,
  Problem,
  SignatureReport,
} from './common/log-format.ts';
export { InteropError } from './error.ts';
export { formats } from './formats.ts';
export { formatOf, readLogs } from './read-logs.ts';
