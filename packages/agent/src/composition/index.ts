export { agentStep, inLoop, inParallel, inSequence, type LoopOptions } from './compositions.ts';
export type { Composition, StepContext, StepEnd } from './composition.ts';
export { withHandoffs, type HandoffOptions } from './handoffs.ts';
export { runComposition, type CompositionOptions } from './run-composition.ts';
