export type { ResumedHooks } from './hooks-for-run.ts';
export { agentFromSettings, confirmationFromSettings } from './agent-from-settings.ts';
export { limitsFromSettings } from './limits-from-settings.ts';
export {
  modelAddress,
  modelFromSettings,
  providerKeys,
  type ConfiguredModel,
  type ModelOptions,
} from './model-from-settings.ts';
export { personSecrets, type PersonSecrets } from './person-secrets.ts';
export { prepareAgent, type PreparedAgent } from './prepare-agent.ts';
export { prepareParts, projectContext, type PreparedParts } from './prepare-parts.ts';
export { RoleModels } from './role-models.ts';
export { openAgentSandbox } from './sandbox-from-settings.ts';
export { startServers, type StartedServers } from './start-servers.ts';
export { storedAgentParts, type StoredAgentParts } from './stored-agent-parts.ts';
export { serverIn, type StoredModel } from './stored-model.ts';
export { prepareSubAgents, startsSubAgents } from './sub-agents.ts';
export { toolKindsFor, toolsAt } from './tools-from-settings.ts';
export { workspaceServer } from './workspace-server.ts';
export { loadPromptCommands, promptOf, type PromptCommand } from '../extensions/load-commands.ts';
export { loadExtensions, type Extensions } from '../extensions/load-extensions.ts';
export type { UntrustedDirectory } from '../extensions/trusted-parts.ts';
export { configuredServers, type FileServer } from '../extensions/configured-servers.ts';
export { resolveServer } from '../extensions/resolve-server.ts';
export { secretsOfConfig, secretsOfServer } from '../extensions/secrets-of-server.ts';
export { serversOfFile } from '../definitions/mcp-server.ts';
