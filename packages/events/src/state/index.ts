export { blockedProjection, type Blocked } from './blocked.ts';
export { countsProjection, type Counts } from './counts.ts';
export { fieldsProjection } from './fields.ts';
export { isStatusTransition } from './is-status-transition.ts';
export { replay, type Position } from './replay.ts';
export { skillsProjection, type Skills } from './skills.ts';
export { stateProjections, type StateProjections } from './state-projections.ts';
export { statusTransitions, type StatusTransition } from './status-transitions.ts';
