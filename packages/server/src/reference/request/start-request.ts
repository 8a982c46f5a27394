import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import { conversationIdField } from '../info/conversation-id.ts';
import { agentRequest, agentSettings } from './agent-request.ts';
import { messageRequest } from './message-request.ts';

const anything = lazy(() => z.record(z.string(), z.unknown()));
const named = lazy(() => z.looseObject({ kind: z.string() }));

/** Tags of a conversation, by name. */
export const tagsRequest = lazy(() => z.record(z.string().regex(/^[a-z0-9]+$/), z.string().max(256)));

/** Plugin of a conversation. @see agent-server 1.43.1 OpenAPI, PluginSource */
const pluginSource = lazy(() =>
  z.looseObject({
    source: z.string().min(1),
    ref: z.string().nullish(),
    repo_path: z.string().nullish(),
  }),
);

/** Tool that the client executes. */
const clientTool = lazy(() => z.looseObject({ name: z.string(), description: z.string() }));

/** The agent of a conversation; `agent_name` names one in code of this server, and is a field of varve. */
const agentFields = lazy(() => ({
  agent: agentRequest().nullish(),
  agent_settings: agentSettings().nullish(),
  agent_profile_id: z.guid().nullish(),
  agent_name: z.string().min(1).nullish(),
  agent_launch_additions: z.strictObject({ system_message_suffix_append: z.string().max(32_768).nullish() }).nullish(),
}));

/**
 * Body of a request to create a conversation.
 *
 * @see agent-server 1.43.1 OpenAPI, StartConversationRequest
 */
export const startRequest = lazy(() =>
  z
    .object({
      workspace: z.looseObject({ working_dir: z.string().min(1), kind: z.literal('LocalWorkspace').optional() }),
      ...agentFields(),
      conversation_id: conversationIdField().nullish(),
      parent_conversation_id: conversationIdField().nullish(),
      initial_message: messageRequest().nullish(),
      /** Absent: that of the settings, which ask before what is risky unless the person chose another one. */
      confirmation_policy: named().nullish(),
      security_analyzer: named().nullish(),
      max_iterations: z.int().gte(1).default(500),
      stuck_detection: z.boolean().default(true),
      secrets: z.record(z.string(), z.unknown()).default({}),
      secrets_encrypted: z.boolean().default(false),
      worktree: z.boolean().default(false),
      tags: tagsRequest().default({}),
      client_tools: z.array(clientTool()).default([]),
      tool_module_qualnames: anything().default({}),
      agent_definitions: z.array(anything()).default([]),
      plugins: z.array(pluginSource()).nullish(),
      hook_config: anything().nullish(),
      autotitle: z.boolean().default(true),
      title_llm_profile: z.string().nullish(),
      user_id: z.string().nullish(),
      observability_metadata: anything().default({}),
      observability_tags: z.array(z.string()).default([]),
      observability_span_name: z.string().nullish(),
    })
    .refine((request) => chosenAgents(request).length > 0, {
      path: ['agent'],
      message: 'An agent, agent_settings, agent_profile_id or agent_name is needed.',
    })
    .refine(isNamedAlone, { path: ['agent_name'], message: `An agent_name excludes ${ofAgents.join(', ')}.` })
    .refine((request) => !request.agent_profile_id || chosenAgents(request).length === 1, {
      path: ['agent_profile_id'],
      message: 'An agent_profile_id excludes agent and agent_settings.',
    })
    .openapi('StartConversationRequest'),
);
export type StartRequest = z.output<ReturnType<typeof startRequest>>;

/** Fields that choose or change an agent, which an agent in code has already. */
const ofAgents = [
  'agent',
  'agent_settings',
  'agent_profile_id',
  'agent_launch_additions',
  'confirmation_policy',
  'security_analyzer',
  'secrets',
  'agent_definitions',
  'plugins',
  'hook_config',
] as const;

function isNamedAlone(request: Readonly<Record<string, unknown>>) {
  return (
    !request['agent_name'] || ofAgents.every((field) => Object.keys(Object(request[field]) as object).length === 0)
  );
}

function chosenAgents({
  agent,
  agent_settings: settings,
  agent_profile_id: profile,
  agent_name: name,
}: Record<string, unknown>) {
  return [agent, settings, profile, name].filter((choice) => choice !== undefined && choice !== null);
}
