export { builtinSubAgents } from './built-in-sub-agents.ts';
export type { DelegatingCall, Delegation, NewTask } from './delegation.ts';
export { delegationKinds, delegationTools } from './delegation-kinds.ts';
export { derivedAgent, type DerivedParts } from './derived-agent.ts';
export {
  loadSubAgents,
  subAgentDigest,
  type LoadedSubAgents,
  type LoadSubAgentsOptions,
} from './definitions/load-sub-agents.ts';
export { receivedDefinition } from './definitions/received-definition.ts';
export type { PermissionMode, SubAgentDefinition } from './definitions/sub-agent-definition.ts';
export { subAgentOf, withBuiltinSubAgents, type SubAgentOptions } from './definitions/sub-agent-of.ts';
export { findSubAgent, type SubAgent, type SubAgentContext, type SubAgentLimits } from './sub-agent.ts';
export type { TaskEnd } from './run-task.ts';
export { tasksProjection, type TaskRecord } from '../log/projections/tasks-projection.ts';
export type { AnswerWaitingChild, WaitingChild } from '../run/waiting-child.ts';
