export { evaluationFormat } from './evaluation-format.ts';
export { finishedInstances, readEvaluation, type ReadEvaluation } from './read-evaluation.ts';
export { writeEvaluation } from './write-evaluation.ts';
