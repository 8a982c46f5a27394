export { fileBudget, type FileBudget } from './file-budget.ts';
export { splitFrontMatter, type FrontMatter } from './front-matter.ts';
export { gitRoot } from './git-root.ts';
export { listSource, readSource, SourceError, type SourceProblem, type SourceRoot } from './read-source.ts';
export { contentDigest, fileDigest, trustNothing, type TrustPredicate } from './trust.ts';
