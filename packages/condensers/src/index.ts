export type { CondensationPlan, CondenseContext, Condenser, NothingToCondense } from './condenser.ts';
export { CondenserError, type CondenserErrorCode } from './error.ts';
export { inOrder } from './in-order.ts';
export { noCondensation } from './no-condensation.ts';
export { rollingWindow, type RollingWindowOptions } from './rolling-window.ts';
