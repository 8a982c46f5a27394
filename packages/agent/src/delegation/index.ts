export { builtinSubAgents } from './built-in-sub-agents.ts';
export type { DelegatingCall, Delegation, NewTask } from './delegation.ts';
export { delegationKinds, delegationTools } from './delegation-kinds.ts';
export { derivedAgent, type DerivedParts } from './derived-agent.ts';
export { findSubAgent, type SubAgent, type SubAgentContext, type SubAgentLimits } from './sub-agent.ts';
export type { TaskEnd } from './run-task.ts';
export { tasksProjection, type TaskRecord } from './tasks-projection.ts';
