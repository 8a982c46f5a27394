export { directoryScheme, directoryStore, type DirectoryStoreOptions } from './directory-store.ts';
export type { DirectoryWarning, OnWarning } from './layout/warnings.ts';
