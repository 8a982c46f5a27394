export {
  planIn,
  type CondensationPlan,
  type CondenseContext,
  type Condenser,
  type CondenserAnswer,
  type Mask,
  type MaskPlan,
  type NothingToCondense,
  type Plan,
  type TokenCounter,
} from './condenser.ts';
export { applyPlan } from './plans/apply-plan.ts';
export { planOfAnswer, planOfView } from './plans/plan-of-view.ts';
export { CondenserError, type CondenserErrorCode } from './error.ts';
export { condenserFromSpec, type CondenserFromSpecOptions } from './registry/condenser-from-spec.ts';
export type { CondenserKind, CondenserParts } from './registry/condenser-kind.ts';
export { defineCondenserKind, type CondenserKindOptions } from './registry/define-condenser-kind.ts';
export { condenserKinds } from './registry/condenser-kinds.ts';
export { inOrder } from './in-order.ts';
export { noCondensation } from './no-condensation.ts';
export { rollingWindow, type RollingWindowOptions } from './rolling-window.ts';
