import * as z from 'zod';
import { lazy } from '@varve/events';
import { condenserNames, confirmationNames, logLevels, presetNames, sandboxNames } from './choices.ts';
import { llmFields, type LlmField } from './llm-fields.ts';
import { mcpServer } from './mcp-server.ts';
import { profileName } from './profile-name.ts';
import { setting, type SettingDefinition } from './setting.ts';

const count = lazy(() => z.number().int().positive());
const repeats = lazy(() => z.number().int().min(2));
const names = lazy(() => z.array(z.string().min(1)));
const json = lazy(() => z.record(z.string(), z.json()));

/** Settings of the model without a profile; a field of the environment or a flag overrides that of a profile, too. */
const llmSettings = Object.fromEntries(
  Object.entries(llmFields).map(([field, { schema, description }]) => {
    const variables = [`LLM_${field.toUpperCase()}`, ...(field === 'base_url' ? ['OPENAI_BASE_URL'] : [])];
    return [`llm.${field}`, setting<unknown>(schema, description, { variables })];
  }),
) as {
  readonly [Field in LlmField as `llm.${Field}`]: SettingDefinition<
    z.output<ReturnType<(typeof llmFields)[Field]['schema']>>
  >;
};

const inProject: typeof setting = (schema, description, options) =>
  setting(schema, description, { scope: 'project', ...options });
const inTrusted: typeof setting = (schema, description, options) =>
  setting(schema, description, { scope: 'trusted-project', ...options });

/** All settings in the order of listings: add a line here. */
export const settingDefinitions = {
  'roles.agent': setting(profileName, 'Model profile of the agent.'),
  'roles.condenser': setting(profileName, 'Model profile that summarizes; default that of the agent.'),
  'roles.title': setting(
    profileName,
    'Model profile that writes titles; without one a title is the first line of the first message.',
  ),
  'roles.ask': setting(profileName, 'Model profile for side questions; default that of the agent.'),
  'roles.subagent': setting(profileName, 'Model profile of sub-agents; default that of the agent.'),
  agent_profile: setting(profileName, 'Agent profile that is in use.'),
  ...llmSettings,
  'tools.preset': inProject(() => z.enum(presetNames), 'Set of tools.', { defaultValue: 'default' }),
  'tools.only': inProject(() => z.array(z.string()), 'Tools in place of the preset.'),
  'tools.add': inProject(() => z.array(z.string()), 'Tools in addition to the preset.'),
  'tools.remove': inProject(() => z.array(z.string()), 'Tools of the preset that are left out.'),
  'tools.options': inTrusted(() => z.record(z.string(), json()), 'Options of tools, by the name of the tool.'),
  concurrency: inTrusted(() => count().max(64), 'Calls of one reply that may run concurrently.', { defaultValue: 1 }),
  text_reply: inTrusted(
    () => z.enum(['finish', 'wait', 'continue']),
    'Meaning of a reply without calls: the end, a question, or a pause to continue after.',
    { defaultValue: 'finish' },
  ),
  'stuck.detect': inTrusted(() => z.boolean(), 'Ends a run that makes no progress.', { defaultValue: true }),
  'stuck.repeated_results': inTrusted(repeats, 'Equal calls with equal results.'),
  'stuck.repeated_errors': inTrusted(repeats, 'Equal calls that fail.'),
  'stuck.alternating': inTrusted(repeats, 'Two alternating replies.'),
  'stuck.monologue': inTrusted(repeats, 'Replies without calls.'),
  'stuck.overflows': inTrusted(repeats, 'Contexts that are too long again.'),
  'stuck.window': inTrusted(
    () => z.enum(['user-message', 'conversation']),
    'Part of a conversation that is examined: since the last message of the user (default), or all of it.',
  ),
  'stuck.outputs': inTrusted(
    () => z.enum(['compared', 'exit-codes']),
    'Comparison of the results of two commands: of the output (default), or of the exit status only.',
  ),
  'budget.steps': setting(count, 'Steps of one run.', { defaultValue: 500 }),
  'budget.cost_usd': setting(() => z.number().positive(), 'US dollars of one conversation.'),
  'budget.tokens': setting(count, 'Tokens of one conversation.'),
  'budget.calls': setting(count, 'Model calls of one conversation.'),
  'budget.seconds': setting(() => z.number().positive().max(2_000_000), 'Seconds of all runs of one conversation.'),
  'condenser.kind': inProject(() => z.enum(condenserNames), 'Strategy that shortens long conversations.', {
    defaultValue: 'llm-summary',
  }),
  'condenser.max_events': inProject(() => z.number().int().min(10), 'Events before the oldest are condensed.', {
    // Counts for models of unknown window, which may cut what is too long in silence.
    defaultValue: 1000,
  }),
  'condenser.window_share': inProject(() => z.number().min(0.1).max(0.95), "Share of the model's window before that.", {
    // Leaves room for the next results.
    defaultValue: 0.7,
  }),
  'condenser.options': inTrusted(json, 'Other options of the strategy.'),
  'confirmation.policy': setting(
    confirmationNames,
    'Calls that need your approval: all, all but edits and reading, those with a risk, or none; plan: only reading runs.',
    { defaultValue: 'auto' },
  ),
  'confirmation.threshold': setting(() => z.enum(['LOW', 'MEDIUM', 'HIGH']), 'Lowest risk that asks, with auto.'),
  'confirmation.unknown': setting(() => z.boolean(), 'Whether calls of unknown risk ask, with auto.'),
  'shell.environment': setting(() => z.array(z.string()), "Variables that the agent's shell receives, too."),
  'sandbox.profile': setting(
    () => z.enum(sandboxNames),
    'Walls around the commands of the agent; auto: workspace where there are walls.',
    {
      defaultValue: 'auto',
    },
  ),
  'sandbox.hosts': setting(
    names,
    'Hosts that commands reach in a sandbox, in addition to package registries and public code.',
  ),
  'sandbox.ports': setting(
    () => z.array(z.int().min(1).max(65_535)).max(100),
    'Ports of services of this machine that commands reach in a sandbox, at 127.0.0.1.',
  ),
  'workspace.server': setting(
    () => z.url({ protocol: /^https?$/ }),
    'URL of the agent-server on which commands run and files are edited; default this machine.',
  ),
  'workspace.directory': setting(
    () => z.string().startsWith('/'),
    'Absolute path on that server; default the path of the workspace here.',
  ),
  'files.record': setting(() => z.boolean(), 'Records the files that calls change, so that you can go back to them.', {
    defaultValue: true,
  }),
  'signing.enabled': setting(() => z.boolean(), 'Signs what a run stores.'),
  'signing.key_file': setting(() => z.string().min(1), 'File of the signing key.', {
    variables: ['VARVE_SIGNING_KEY'],
  }),
  'session.bell': setting(
    () => z.boolean(),
    'Rings the bell of the terminal when a session asks, or has ended its work.',
  ),
  'server.host': setting(() => z.string().min(1), 'Address that varve serve listens on.', {
    defaultValue: '127.0.0.1',
  }),
  'server.port': setting(() => z.number().int().min(0).max(65_535), 'Port; 0 picks a free one.', {
    defaultValue: 8000,
  }),
  'server.address': setting(() => z.url(), 'URL at which other replicas of the store reach this server.'),
  'server.allowed_hosts': setting(names, 'Other host names that the server accepts.'),
  'server.allowed_origins': setting(names, 'Origins whose pages may call the server.', {
    variables: ['OH_ALLOW_CORS_ORIGINS'],
  }),
  'server.trusted_proxies': setting(names, 'Addresses and networks of proxies whose X-Forwarded-For is used.'),
  'server.max_connections': setting(() => count().max(1_000_000), 'Connections at a time, of about 40 kB each.', {
    defaultValue: 1000,
  }),
  'server.max_connections_by_address': setting(
    () => count().max(1_000_000),
    'Connections of one address that have not sent a key.',
    { defaultValue: 100 },
  ),
  'server.file_roots': setting(names, 'Directories that the file and git routes may use; default all.'),
  'server.max_runs': setting(() => count().max(100_000), 'Runs at a time; the others wait.', {
    variables: ['OH_MAX_CONCURRENT_RUNS'],
    defaultValue: 8,
  }),
  'server.max_waiting': setting(() => count().max(1000), 'Runs that wait at a time; others are refused.', {
    defaultValue: 1000,
  }),
  'server.max_runs_by_owner': setting(
    () => count().max(100_000),
    'Runs of one owner of a key at a time, active or waiting; others are refused. Default: no limit.',
  ),
  'server.max_requests_by_owner': setting(
    () => count().max(1_000_000),
    'Requests of one owner of a key in a minute; others are refused. Default: no limit.',
  ),
  'server.idle_seconds': setting(
    () => count().max(2_000_000),
    'Seconds after which an unused conversation is closed.',
    {
      variables: ['OH_CONVERSATION_IDLE_TTL_SECONDS'],
      defaultValue: 1200,
    },
  ),
  'server.open_metrics': setting(() => z.boolean(), 'Sends metrics without a key.', { defaultValue: false }),
  'server.deferred': setting(() => z.boolean(), 'Waits until POST /api/init configures the server.', {
    defaultValue: false,
  }),
  'server.log_level': setting(() => z.enum(logLevels), 'Level of the log.', { defaultValue: 'info' }),
  store: setting(
    () => z.string().min(1),
    'Store of the conversations: sqlite:FILE, dir:PATH, postgres://HOST/DATABASE or memory:.',
  ),
  mcp_servers: inTrusted(
    () => z.record(z.string(), mcpServer()),
    'Servers of the model context protocol, by name. ${NAME} in env, headers, args and url is a secret.',
  ),
  mcp_enabled: setting(() => z.array(z.string()), 'Servers that are started; default all, also those of .mcp.json.'),
  'skills.disabled': inTrusted(() => z.array(z.string()), 'Skills that are left out.'),
  'prompt.suffix': inTrusted(() => z.string(), 'Instructions at the end of the system prompt.'),
  'plugins.disabled': setting(() => z.array(z.string()), 'Installed plugins that are left out.'),
  'reference.agent_settings': setting(json, 'Settings of agents that only clients of the reference use.'),
  'reference.conversation_settings': setting(json, 'Settings of conversations that only clients use.'),
  'reference.provider_connections': setting(json, 'Access to providers that profiles of clients share.'),
  'reference.misc_settings': setting(json, 'Data of clients.'),
} as const;

/** Key of a setting. */
export type SettingKey = keyof typeof settingDefinitions;

/** Value of a setting. */
export type SettingValue<Key extends SettingKey> =
  (typeof settingDefinitions)[Key] extends SettingDefinition<infer T> ? T : never;

/** All keys in the order of listings. */
export const settingKeys = Object.keys(settingDefinitions) as readonly SettingKey[];

/** Returns the definition of a setting. */
export function definitionOf(key: SettingKey): SettingDefinition {
  return settingDefinitions[key];
}

/** Tests whether a text is the key of a setting. */
export function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(settingDefinitions, key);
}

/** Returns the variables of a setting, the strongest first. */
export function variablesOf(key: SettingKey): readonly string[] {
  return [`VARVE_${key.replaceAll('.', '_').toUpperCase()}`, ...definitionOf(key).variables];
}
