export { agentFromSpec } from './agent-from-spec.ts';
export { agentRegistries, type AgentRegistries } from './agent-registries.ts';
export type { MissingPart } from './part-reader.ts';
export { toolset, type NamedTool, type ToolRegistry, type Toolset } from '../agent/toolset.ts';
export { codingPrompt, presetPrompt, promptPresets } from '../prompt/preset-prompt.ts';
export { textPrompt } from '../prompt/prompt.ts';
