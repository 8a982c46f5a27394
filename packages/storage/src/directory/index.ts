export { directoryScheme, directoryStore, type DirectoryStoreOptions } from './directory-store.ts';
export type { DirectoryWarning } from './layout/warnings.ts';
