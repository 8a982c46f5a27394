export { agentProfileFields, type AgentProfileRecord } from './agent-profile.ts';
export { agentProfiles, type AgentProfiles, type NewAgentProfile } from './agent-profiles.ts';
export {
  capabilityCache,
  type CapabilityCache,
  type CapabilityOptions,
  type KnownCapabilities,
  type ModelAddress,
} from './capabilities.ts';
export { connectedProfile, llmValuesOf, storedKeyOf, type ModelProfileRecord } from './model-profile.ts';
export { modelProfiles, type ModelProfiles, type ModelRole } from './model-profiles.ts';
export { localServers, type LocalServer, type LocalServersOptions } from './local-servers.ts';
export type { ListedRecord } from './record-folder.ts';
