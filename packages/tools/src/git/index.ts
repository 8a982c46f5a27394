export { gitChanges, type GitChange, type GitCompareOptions } from './git-changes.ts';
export { gitDelta, type GitDelta, type GitDeltaOptions } from './git-delta.ts';
export { gitDiff, type GitDiff, type GitDiffOptions } from './git-diff.ts';
export { gitCommitChanges, gitCommits, type GitCommit, type GitCommitsOptions } from './git-history.ts';
export { gitPlaces } from './git-places.ts';
