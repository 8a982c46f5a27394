export type {
  CondensationPlan,
  CondenseContext,
  Condenser,
  CondenserAnswer,
  Mask,
  MaskPlan,
  NothingToCondense,
  Plan,
  TokenCounter,
} from './condenser.ts';
export { applyPlan } from './plans/apply-plan.ts';
export { planOfAnswer } from './plans/plan-of-view.ts';
export { CondenserError, type CondenserErrorCode } from './error.ts';
export { condenserFromSpec, type CondenserFromSpecOptions } from './registry/condenser-from-spec.ts';
export {
  defineCondenserKind,
  type CondenserKind,
  type CondenserKindOptions,
  type CondenserParts,
} from './registry/condenser-kind.ts';
export { condenserKinds } from './registry/condenser-kinds.ts';
export { amortized, type AmortizedOptions } from './amortized.ts';
export { browserMasking, type BrowserMaskingOptions } from './browser-masking.ts';
export { conversationWindow } from './conversation-window.ts';
export { discardAll } from './discard-all.ts';
export { inOrder } from './in-order.ts';
export { llmAttention, type LlmAttentionOptions } from './llm-attention.ts';
export { llmSummary } from './llm-summary.ts';
export { noCondensation } from './no-condensation.ts';
export { observationMasking, type ObservationMaskingOptions } from './observation-masking.ts';
export { recent, type RecentOptions } from './recent.ts';
export { rollingWindow, type RollingWindowOptions } from './rolling-window.ts';
export { structuredSummary } from './structured-summary.ts';
export type { SummarisingOptions } from './summaries/summarising.ts';
export type { ViewLimits } from './plans/limits.ts';
