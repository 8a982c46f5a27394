export { activeBranch } from './common/active-branch.ts';
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
