export { agentFromSpec, requireAgent, type AgentFromSpecOptions, type RebuiltAgent } from './agent-from-spec.ts';
export {
  agentRegistries,
  type AgentRegistries,
  type AgentRegistriesOptions,
  type SpecContext,
} from './agent-registries.ts';
export type { MissingPart } from './part-reader.ts';
export { toolset, type NamedTool, type ToolRegistry, type Toolset, type ToolsetOptions } from '../agent/toolset.ts';
