export { filesOfPatch } from '../patch/files-of-patch.ts';
export { globMatcher, type GlobMatcher, type GlobOptions } from '../search/glob-matcher.ts';
