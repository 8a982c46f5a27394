export { approvalFact } from './approval.ts';
export { callFact, tokenUsage, type Call, type TokenUsage } from './call.ts';
export { defineFact, isFact, type FactDefinition } from './define-fact.ts';
export { effectFact } from './effect.ts';
export { leafKey } from './leaf.ts';
export { maskFact } from './mask.ts';
export { parametersFact } from './parameters.ts';
export { runFact } from './run.ts';
export { toolsetFact } from './toolset.ts';
