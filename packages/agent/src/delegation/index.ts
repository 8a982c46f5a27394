export { builtinSubAgents } from './built-in-sub-agents.ts';
export type { Delegation } from './delegation.ts';
export type { DelegatingCall, NewTask, SubAgentTasks, TaskResult } from '../agent/sub-agent-tasks.ts';
export { delegationKinds, delegationTools } from '../delegation-tools/delegation-kinds.ts';
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
export { findSubAgent } from './find-sub-agent.ts';
export { type SubAgent, type SubAgentContext, type SubAgentLimits } from '../agent/agent.ts';
export type { TaskEnd } from './run-task.ts';
export { tasksProjection, type TaskRecord } from '../log/projections/tasks-projection.ts';
export type { AnswerWaitingChild, WaitingChild } from '../agent/waiting-child.ts';
