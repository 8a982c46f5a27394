export { gitChanges, type GitChange, type GitCompareOptions } from './git-changes.ts';
export { gitDiff, type GitDiff } from './git-diff.ts';
