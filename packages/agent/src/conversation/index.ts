export type { ChildOptions } from './child-conversation.ts';
export type { DirectCall } from './direct-call.ts';
export type { ForkOptions } from './fork-conversation.ts';
export { readRequest } from './read-request.ts';
export type { Limits } from '../budget/limits.ts';
export type { StuckRules } from '../stuck/stuck-rules.ts';
export type { GoalLoop } from '../goal/goal.ts';
export { goalProjection } from '../log/projections/goal-projection.ts';
