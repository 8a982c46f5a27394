export type {
  CondensationPlan,
  CondenseContext,
  Condenser,
  ObservationMask,
  NothingToCondense,
  Plan,
  TokenCounter,
} from './condenser.ts';
export { applyPlan } from './plans/apply-plan.ts';
export { planOfAnswer } from './plans/plan-of-view.ts';
export { CondenserError } from './error.ts';
export { condenserFromSpec } from './registry/condenser-from-spec.ts';
export { defineCondenserKind, type CondenserParts } from './registry/condenser-kind.ts';
export { condenserKinds } from './registry/condenser-kinds.ts';
export { amortized } from './amortized.ts';
export { browserMasking } from './browser-masking.ts';
export { conversationWindow } from './conversation-window.ts';
export { discardAll } from './discard-all.ts';
export { inOrder } from './in-order.ts';
export { llmAttention } from './llm-attention.ts';
export { llmSummary } from './llm-summary.ts';
export { noCondensation } from './no-condensation.ts';
export { observationMasking } from './observation-masking.ts';
export { recent } from './recent.ts';
export { rollingWindow } from './rolling-window.ts';
export { structuredSummary } from './structured-summary.ts';
export { earlierSummaries } from './summaries/render-events.ts';
export { renderFitting } from './summaries/render-fitting.ts';
