export type { ResumedHooks } from './hooks-for-run.ts';
export { agentFromSettings, type AgentSetup } from './agent-from-settings.ts';
export {
  modelAddress,
  modelFromSettings,
  type ConfiguredModel,
  type ModelNotices,
  type ModelOptions,
} from './model-from-settings.ts';
export { prepareAgent, projectContext, type PreparedAgent, type PrepareAgentOptions } from './prepare-agent.ts';
export { storedAgentParts, type StoredAgentParts } from './stored-agent-parts.ts';
export { serverIn, storedModel, type StoredModel } from './stored-model.ts';
export type { ToolSetup } from './tools-from-settings.ts';
