import type { Route } from './route/route.ts';
import { bashRoutes } from './routes/bash.ts';
import { conversationBranchRoutes } from './routes/conversation-branches.ts';
import { conversationConfigurationRoutes } from './routes/conversation-configuration.ts';
import { conversationGoalRoutes } from './routes/conversation-goals.ts';
import { conversationLifecycleRoutes } from './routes/conversation-lifecycle.ts';
import { conversationModelRoutes } from './routes/conversation-model.ts';
import { conversationRunRoutes } from './routes/conversation-runs.ts';
import { agentProfileRoutes } from './routes/agent-profiles.ts';
import { conversationRoutes } from './routes/conversations.ts';
import { disabledRoutes } from './routes/disabled.ts';
import { eventStreamRoutes } from './routes/event-stream.ts';
import { eventRoutes } from './routes/events.ts';
import { fileRoutes } from './routes/files.ts';
import { gatewayRoutes } from './routes/gateway.ts';
import { gitRoutes } from './routes/git.ts';
import { healthRoutes } from './routes/health.ts';
import { initRoutes } from './routes/init.ts';
import { hookRoutes } from './routes/hooks.ts';
import { installedRoutes } from './routes/installed.ts';
import { mcpRoutes } from './routes/mcp.ts';
import { pluginRoutes } from './routes/plugins.ts';
import { skillRoutes } from './routes/skills.ts';
import { subAgentRoutes } from './routes/sub-agents.ts';
import { llmRoutes } from './routes/llm.ts';
import { providerConnectionRoutes } from './routes/provider-connections.ts';
import { profileRoutes } from './routes/profiles.ts';
import { settingsMcpRoutes } from './routes/settings-mcp.ts';
import { settingsSecretRoutes } from './routes/settings-secrets.ts';
import { settingsRoutes } from './routes/settings.ts';
import { metricsRoutes } from './routes/metrics.ts';
import { toolRoutes } from './routes/tools.ts';
import { workspaceFileRoutes } from './routes/workspace-files.ts';
import { workspaceRoutes } from './routes/workspaces.ts';
import { workspaceSessionRoutes } from './routes/workspace-session.ts';

/** All routes: add a file to `routes/`, then its line here. Paths without parameters precede those with parameters. */
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
  ...disabledRoutes,
];
