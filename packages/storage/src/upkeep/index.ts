export { applyRetention, type RetentionResult } from './apply-retention.ts';
export { copyLog, type CopyOptions } from './copy-log.ts';
export { exportBundle } from './export-bundle.ts';
export type { Family } from './families-of.ts';
export { importBundle, type ImportOptions } from './import-bundle.ts';
export { type PlannedRemoval, planRetention, type RetentionLimits, type RetentionPlan } from './plan-retention.ts';
export { type Bundle, readBundle } from './read-bundle.ts';
export { repair, type RepairOptions, type RepairResult } from './repair.ts';
export { scrub, type ScrubOptions, type ScrubResult } from './scrub.ts';
