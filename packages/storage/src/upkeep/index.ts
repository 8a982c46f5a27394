export { copyLog, type CopyOptions } from './copy-log.ts';
export { exportBundle } from './export-bundle.ts';
export { importBundle, type ImportOptions } from './import-bundle.ts';
export { type Bundle, readBundle } from './read-bundle.ts';
