export type { Goal, GoalOptions } from './goal.ts';
export { goalProjection, type GoalState, type GoalVerdict } from './goal-state.ts';
export type { GoalResult } from './pursue-goal.ts';
