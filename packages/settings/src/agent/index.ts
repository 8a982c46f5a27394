export type { ResumedHooks } from './hooks-for-run.ts';
export { agentFromSettings, confirmationFromSettings, type AgentSetup } from './agent-from-settings.ts';
export { limitsFromSettings } from './limits-from-settings.ts';
export {
  modelAddress,
  modelFromSettings,
  providerKeys,
  type ConfiguredModel,
  type ModelNotices,
  type ModelOptions,
} from './model-from-settings.ts';
export { personSecrets, type PersonSecrets } from './person-secrets.ts';
export { prepareAgent, type PreparedAgent, type PrepareAgentOptions } from './prepare-agent.ts';
export {
  prepareParts,
  projectContext,
  type PartsOptions,
  type PreparedParts,
  type ReadPlaces,
} from './prepare-parts.ts';
export { RoleModels, type RoleModelsOptions } from './role-models.ts';
export type { AgentSandbox } from './sandbox-from-settings.ts';
export { startServers, type StartedServers, type StartServersOptions } from './start-servers.ts';
export { storedAgentParts, type StoredAgentParts } from './stored-agent-parts.ts';
export { serverIn, storedModel, type StoredModel } from './stored-model.ts';
export { prepareSubAgents, startsSubAgents, type PreparedSubAgents } from './sub-agents.ts';
export { toolKindsFor, type ToolSetup } from './tools-from-settings.ts';
