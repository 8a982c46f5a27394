export { dumpedCalls, type DumpCallOptions } from './dumped-calls.ts';
export { dumpedFetch, type DumpFetchOptions } from './dumped-fetch.ts';
export { dumpFolder, type DumpFolder, type DumpFolderOptions } from './dump-folder.ts';
export { dumpsFrom, type DumpDefaults, type Dumps } from './dumps-from.ts';
