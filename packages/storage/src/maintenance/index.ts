export { applyRetention } from './apply-retention.ts';
export { copyLog } from './copy-log.ts';
export { exportBundle } from './export-bundle.ts';
export { importBundle, type ImportOptions } from './import-bundle.ts';
export { planRetention, type RetentionPlan } from './plan-retention.ts';
export { readBundle } from './import-bundle.ts';
export { repair, type RepairOptions, type RepairResult } from './repair.ts';
export { scrub } from './scrub.ts';
