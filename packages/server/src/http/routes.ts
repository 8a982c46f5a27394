import type { Route } from './route/route.ts';
import { bashRoutes } from './workspace/bash.ts';
import { conversationBranchRoutes } from './conversations/conversation-branches.ts';
import { conversationConfigurationRoutes } from './conversations/conversation-configuration.ts';
import { conversationGoalRoutes } from './conversations/conversation-goals.ts';
import { conversationLifecycleRoutes } from './conversations/conversation-lifecycle.ts';
import { conversationModelRoutes } from './conversations/conversation-model.ts';
import { conversationRunRoutes } from './conversations/conversation-runs.ts';
import { agentProfileRoutes } from './settings/agent-profiles.ts';
import { conversationRoutes } from './conversations/conversations.ts';
import { disabledRoutes } from './system/disabled.ts';
import { eventStreamRoutes } from './conversations/event-stream.ts';
import { eventRoutes } from './conversations/events.ts';
import { fileRoutes } from './workspace/files.ts';
import { gatewayRoutes } from './system/gateway.ts';
import { gitRoutes } from './workspace/git.ts';
import { healthRoutes } from './system/health.ts';
import { initRoutes } from './system/init.ts';
import { hookRoutes } from './extensions/hooks.ts';
import { installedRoutes } from './extensions/installed.ts';
import { mcpRoutes } from './extensions/mcp.ts';
import { pluginRoutes } from './extensions/plugins.ts';
import { skillRoutes } from './extensions/skills.ts';
import { subAgentRoutes } from './extensions/sub-agents.ts';
import { llmRoutes } from './settings/llm.ts';
import { providerConnectionRoutes } from './settings/provider-connections.ts';
import { profileRoutes } from './settings/profiles.ts';
import { settingsMcpRoutes } from './settings/settings-mcp.ts';
import { settingsSecretRoutes } from './settings/settings-secrets.ts';
import { settingsRoutes } from './settings/settings.ts';
import { metricsRoutes } from './system/metrics.ts';
import { toolRoutes } from './extensions/tools.ts';
import { webhookRoutes } from './system/webhooks.ts';
import { workspaceFileRoutes } from './workspace/workspace-files.ts';
import { workspaceRoutes } from './workspace/workspaces.ts';
import { workspaceSessionRoutes } from './workspace/workspace-session.ts';

/**
 * All routes: add a file to a folder of this one, then its line here. Paths without parameters precede those with
 * parameters. The key is required below `/api` only.
 */
export const routes: readonly Route[] = [
  ...healthRoutes,
  ...initRoutes,
  ...metricsRoutes,
  ...conversationRoutes,
  ...conversationLifecycleRoutes,
  ...conversationRunRoutes,
  ...eventStreamRoutes,
  ...conversationBranchRoutes,
  ...conversationModelRoutes,
  ...conversationConfigurationRoutes,
  ...conversationGoalRoutes,
  ...eventRoutes,
  ...bashRoutes,
  ...settingsRoutes,
  ...settingsSecretRoutes,
  ...settingsMcpRoutes,
  ...profileRoutes,
  ...agentProfileRoutes,
  ...llmRoutes,
  ...fileRoutes,
  ...gitRoutes,
  ...toolRoutes,
  ...workspaceFileRoutes,
  ...workspaceRoutes,
  ...workspaceSessionRoutes,
  ...skillRoutes,
  ...pluginRoutes,
  ...installedRoutes,
  ...hookRoutes,
  ...subAgentRoutes,
  ...mcpRoutes,
  ...providerConnectionRoutes,
  ...gatewayRoutes,
  ...webhookRoutes,
  ...disabledRoutes,
];
