export { agentProfileFields, type AgentProfileRecord } from './agent-profile.ts';
export { agentProfiles, type AgentProfiles } from './agent-profiles.ts';
export { capabilityCache } from './capabilities.ts';
export { connectedProfile, llmValuesOf } from './model-profile.ts';
export { modelProfiles, type ModelProfiles, type ModelRole } from './model-profiles.ts';
export { localServers, type LocalServer } from './local-servers.ts';
