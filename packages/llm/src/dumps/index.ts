export { dumpCalls, type DumpCallOptions } from './dump-calls.ts';
export { dumpingFetch, type DumpFetchOptions } from './dumping-fetch.ts';
export { dumpFolder, type DumpFolder, type DumpFolderOptions } from './dump-folder.ts';
export { dumpsFrom, type DumpDefaults, type Dumps } from './dumps-from.ts';
