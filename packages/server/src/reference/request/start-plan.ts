import type { Agent } from '@varve/agent';
import { parseHooks, type HookConfig } from '@varve/agent/confirmation';
import type { Json } from '@varve/events';
import { receivedSource, secretName, type Cipher, type SecretSource } from '@varve/settings/secrets';
import { clientToolSpec, type ClientToolSpec, ToolError } from '@varve/tools';
import { redactSecretFields } from '@varve/text';
import type { Configuration } from '../info/server-facts.ts';
import { dashedId } from '../info/conversation-id.ts';
import { sourceAddress } from '../../extensions/source-address.ts';
import { RequestError } from '../../error.ts';
import type { ProfiledAgent } from './agent-of-profile.ts';
import { agentOfSettings, completeAgent, type AgentRequest } from './agent-request.ts';
import { receivedSubAgents, storedDefinition } from './client-parts.ts';
import type { StartRequest } from './start-request.ts';
import { decrypted, noPrivateValues, serverKeysIn, type PrivateRecord } from '../private/private-values.ts';

/** A request to create a conversation, in the parts that are stored in different places. */
export interface StartPlan {
  /** The agent, without keys. */
  readonly agent: Readonly<Record<string, unknown>>;
  /** Policies and limits, in the form that `agentFromSpec` reads next to an agent. */
  readonly spec: Readonly<Record<string, Json>>;
  readonly configuration: Configuration;
  readonly privateRecord: PrivateRecord;
  readonly clientTools: readonly ClientToolSpec[];
  /** Agent in code that the request names, in place of the description. */
  readonly named?: Agent;
}

/**
 * Splits a request: what the log contains has no secrets, and keys, secrets and hooks are stored elsewhere.
 *
 * @throws {RequestError} `invalid` for secrets, hooks, sub-agents and client tools that cannot be used.
 */
export function startPlan(request: StartRequest, { agent, launched }: RequestedAgent, cipher: Cipher): StartPlan {
  const received = request.secrets_encrypted ? decrypted(agent, cipher) : agent;
  const complete = completeAgent(withSuffix(received, request));
  const secrets = receivedSecrets(request.secrets, cipher);
  const { hook_config: hookConfig } = request;
  const hooks = hookConfig ? receivedHooks(hookConfig) : undefined;
  receivedSubAgents(request.agent_definitions);
  const logged = redactSecretFields(complete, '**********');
  const spec = {
    confirmation_policy: request.confirmation_policy ?? null,
    security_analyzer: request.security_analyzer ?? null,
    max_iterations: request.max_iterations,
    stuck_detection: request.stuck_detection,
  };
  return {
    agent: logged,
    spec: spec as StartPlan['spec'],
    configuration: {
      ...configurationOf(request, logged, secrets),
      ...(launched && { launched_agent_profile: launched }),
    },
    privateRecord: { keys: [...serverKeysIn(complete)], secrets, ...(hooks && { hooks }), ...mcpOf(received) },
    clientTools: request.client_tools.map(receivedTool),
  };
}

/** Returns the plan of a request that names an agent in code. @throws {RequestError} `invalid` for client tools. */
export function namedPlan(request: StartRequest, name: string, named: Agent): StartPlan {
  const agent = { model: named.model.spec, kind: 'Agent' };
  return {
    agent,
    spec: {},
    configuration: {
      ...configurationOf(request, agent, {}),
      agent_name: name,
      max_iterations: named.budget.maxIterations,
      stuck_detection: named.stuck !== 'never',
    },
    privateRecord: noPrivateValues,
    clientTools: request.client_tools.map(receivedTool),
    named,
  };
}

function configurationOf(
  request: StartRequest,
  agent: Record<string, unknown>,
  secrets: PrivateRecord['secrets'],
): Configuration {
  const { parent_conversation_id: parent, title_llm_profile: profile, hook_config: hooks } = request;
  const { agent_definitions: definitions } = request;
  const { plugins, user_id, observability_metadata, observability_tags, autotitle } = request;
  return {
    agent,
    max_iterations: request.max_iterations,
    stuck_detection: request.stuck_detection,
    tags: request.tags,
    ...(hooks && { hook_config: hooks }),
    ...(definitions.length > 0 && { agent_definitions: definitions.map(storedDefinition) }),
    ...(request.security_analyzer && {
      security_analyzer: redactSecretFields(request.security_analyzer, '**********'),
    }),
    ...(typeof parent === 'string' && { parent_conversation_id: dashedId(parent) }),
    ...(typeof profile === 'string' && { title_llm_profile: profile }),
    secret_sources: secretSources(secrets),
    request: {
      // Fetched before: their passwords are not needed again.
      plugins: plugins?.map((plugin) => ({ ...plugin, source: sourceAddress(plugin.source).source })),
      user_id,
      observability_metadata,
      observability_tags,
      autotitle,
    },
  };
}

/** Returns the sources of secrets without values. */
export function secretSources(secrets: PrivateRecord['secrets']): Configuration['secret_sources'] {
  return Object.fromEntries(
    Object.entries(secrets).map(([name, { kind, description }]) => [
      name,
      { kind, ...(kind === 'StaticSecret' && { value: null }), description: description ?? null },
    ]),
  );
}

/**
 * Returns the secrets of a request: texts, `{value}`, and sources. Those that are not set are left out.
 *
 * @throws {RequestError} `invalid` for a bad name, and anything else.
 */
export function receivedSecrets(
  sent: Readonly<Record<string, unknown>>,
  cipher: Cipher,
): Readonly<Record<string, SecretSource>> {
  const entries = Object.entries(sent).map(([name, value]) => {
    if (!secretName().safeParse(name).success) {
      throw new RequestError('invalid', `${JSON.stringify(name.slice(0, 100))} is not the name of a secret.`);
    }
    if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) {
      throw new RequestError('invalid', `The secret ${name} is neither a text nor a source.`);
    }
    return [name, receivedSource(value, cipher)] as const;
  });
  return Object.fromEntries(entries.flatMap(([name, source]) => (source ? [[name, source]] : [])));
}

function withSuffix(agent: AgentRequest, { agent_launch_additions: additions }: StartRequest): AgentRequest {
  const added = additions?.system_message_suffix_append;
  if (!added) return agent;
  const suffix = [agent.agent_context?.system_message_suffix, added].filter(Boolean).join('\n\n');
  return { ...agent, agent_context: { ...agent.agent_context, system_message_suffix: suffix } };
}

/** Default tools of the reference that this server has; the others are left out without an error. */
const defaultTools = new Set(['FinishTool', 'ThinkTool']);

/** Returns the agent with the default tools that exist here. */
export function supportedAgent(agent: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { include_default_tools: included, mcp_config: _started, ...rest } = agent;
  const known = Array.isArray(included) ? included.filter((name) => defaultTools.has(String(name))) : [];
  return { ...rest, include_default_tools: known };
}

/** An empty list is a choice, too: without one, the servers of the settings are started. */
function mcpOf({ mcp_config: sent }: Readonly<Record<string, unknown>>): Pick<PrivateRecord, 'mcp'> {
  return typeof sent === 'object' && sent !== null ? { mcp: { ...sent } } : {};
}

function receivedHooks(sent: unknown): HookConfig {
  try {
    return parseHooks(sent);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new RequestError('invalid', `hook_config: ${cause.message}`, { cause });
  }
}

function receivedTool(sent: unknown): ClientToolSpec {
  try {
    return clientToolSpec(sent);
  } catch (cause) {
    if (!(cause instanceof ToolError)) throw cause;
    throw new RequestError('invalid', cause.message, { cause });
  }
}

/** The agent of a request. */
export interface RequestedAgent {
  readonly agent: AgentRequest;
  /** Profile that it comes from. */
  readonly launched?: ProfiledAgent['launched'] | undefined;
}

/** Returns the agent of a request, or of the profile that it names. @throws {RequestError} */
export async function requestedAgent(
  { agent, agent_settings: settings, agent_profile_id: profile }: StartRequest,
  { agentOfProfile }: { readonly agentOfProfile: (id: string) => Promise<ProfiledAgent> },
): Promise<RequestedAgent> {
  if (agent) return { agent };
  return settings ? { agent: agentOfSettings(settings) } : agentOfProfile(profile ?? '');
}
