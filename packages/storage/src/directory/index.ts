export type { Holder } from '../kit/holder.ts';
export { directoryScheme } from './directory-scheme.ts';
export { directoryStore, type DirectoryStoreOptions } from './directory-store.ts';
export type { DirectoryWarning, OnWarning } from './directory-warning.ts';
