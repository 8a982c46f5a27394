export type { Goal, GoalLoop, GoalOptions } from './goal.ts';
export { goalProjection, type GoalState, type GoalVerdict } from '../log/projections/goal-projection.ts';
export type { GoalResult } from './pursue-goal.ts';
