export { errnoOf } from './errno.ts';
export { gitRoot } from './git-root.ts';
export { lockFile } from './lock-file.ts';
export { makeDirectories, removeDirectories } from './make-directories.ts';
export { isTemporaryPath, stageFile, temporaryPath } from './staged-file.ts';
export type { StagedFile, WriteOptions } from './staged-file.ts';
export { syncDirectory, syncDirectorySync } from './sync-directory.ts';
export { assertMissing, createAtomically, writeAtomically } from './write-file.ts';
