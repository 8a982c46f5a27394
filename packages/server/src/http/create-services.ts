import { randomBytes } from 'node:crypto';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  fernet,
  privateRecords,
  secretsForRun,
  secretStore,
  type Cipher,
  type PrivateRecords,
} from '@varve/settings/secrets';
import type { Logger } from 'pino';
import { directoryEvents, memoryEvents } from '../workspace/bash/bash-event-store.ts';
import { retentionOf } from '../workspace/bash/old-events.ts';
import { bashService } from '../workspace/bash/bash-service.ts';
import { initialized, type Initialization } from './deferred/initialization.ts';
import { fileAccess } from '../workspace/files/file-access.ts';
import { extensions } from '../extensions/extensions.ts';
import { createFeed } from '../hosting/info/feed.ts';
import { conversationFolds } from '../hosting/info/conversation-folds.ts';
import { agentOfProfile } from '../hosting/request/agent-of-profile.ts';
import { createActivity } from './operations/activity.ts';
import { createMetrics, type Load } from './operations/metrics.ts';
import { packages } from '../extensions/packages.ts';
import { mcpTester } from '../extensions/mcp-test.ts';
import { conversations, type PluginSource } from '../hosting/conversations.ts';
import { RequestError } from '../error.ts';
import { memoryRecords } from '../hosting/private/memory-records.ts';
import { secretsInUse, type SecretsInUse } from '../hosting/private/secrets-in-use.ts';
import type { ServerOptions } from '../server-options.ts';
import type { ConversationSources } from '../hosting/info/conversation-sources.ts';
import type { Services } from './services.ts';
import { liveLogs } from '../streams/live-logs.ts';
import { disabledNames } from '../settings/disabled-names.ts';
import { titleModels } from '../settings/title-model.ts';
import { serverSettings, type ServerSettings } from '../settings/server-settings.ts';
import { workspaces } from '../workspace/workspace-list.ts';
import { webhookOptions } from '../streams/webhooks/webhook-options.ts';
import { webhooks, type Webhooks } from '../streams/webhooks/webhooks.ts';

/** Parts of the services that the app uses before them. */
export interface ServiceParts {
  readonly initialization?: Initialization;
  readonly secrets?: SecretsInUse;
}

/** Creates the services of a server. */
export function createServices(
  options: ServerOptions,
  logger: Logger,
  { initialization = initialized, secrets = secretsInUse(options.keys) }: ServiceParts = {},
): Services {
  const { store, home, env = {}, workspaceRoot = process.cwd(), now = Date.now } = options;
  const { bashEventsDirectory: bashEvents = home && join(home, 'bash_events') } = options;
  const folds = conversationFolds(store);
  const feed = createFeed();
  const { cipher, records } = encryptionOf(options);
  const userHome = env['HOME'] ?? homedir();
  const settings =
    home === undefined ? undefined : serverSettings({ home, env, userHome, passphrase: env['OH_SECRET_KEY'] });
  const receivers = webhooksOf(options, { store, folds, feed, now }, logger);
  const extended = extensionServices(options, settings, cipher);
  const { packages: installed } = extended;
  const pluginSkills = async (): Promise<readonly string[]> => (await installed?.pluginSkills()) ?? [];
  const services = {
    store,
    folds,
    feed,
    streams: liveLogs({ store, folds, feed, now }),
    settings,
    ...extended,
    webhooks: receivers,
    conversations: conversations({
      watcher: receivers,
      secrets,
      store,
      folds,
      feed,
      records,
      cipher,
      environment: { env, home, userHome, settings, now, pluginSkills, wrapModel: options.wrapModel },
      titleModel: titleModels(settings),
      agentOfProfile: (id) => agentOfProfile(id, settings),
      fetchPlugins: (sources) => fetchedPlugins(sources, installed),
      worktreeRoot: options.worktreeRoot ?? join(home ?? tmpdir(), 'conversation-worktrees'),
      maxRuns: options.maxRuns,
      idleMs: options.idleMs,
      every: options.every,
      now,
      onFailure: (err, conversation_id) => logger.error({ err, conversation_id }, 'failure'),
      onNotice: (notice, conversation_id) => logger.warn({ notice, conversation_id }, 'agent'),
    }),
    bash: bashService({
      store: bashEvents === undefined ? memoryEvents() : directoryEvents(bashEvents),
      root: workspaceRoot,
      env: options.env ?? process.env,
      redactor: secrets.redactor,
      retention: retentionOf(env),
      now,
      onError: (err) => logger.error({ err }, 'failure'),
    }),
    secrets,
    files: fileAccess(options.fileRoots ?? ['/']),
    workspaces: workspaces(home === undefined ? undefined : join(home, 'workspaces.json')),
    workspaceRoot,
    userHome,
    activity: createActivity(now),
    initialization,
    now,
    startedAt: now(),
  };
  return { ...services, metrics: createMetrics(() => loadOf(services)) };
}

/** Fetches plugins for a conversation. @throws {RequestError} `unsupported` for a server without a data directory. */
async function fetchedPlugins(
  sources: readonly PluginSource[],
  installed: Services['packages'],
): Promise<readonly string[]> {
  if (!installed) throw new RequestError('unsupported', 'This server has no data directory for plugins.');
  return installed.fetchPlugins(sources, AbortSignal.timeout(pluginTimeoutMs));
}

/** Milliseconds to fetch the plugins of a request. */
const pluginTimeoutMs = 60_000;

function loadOf({ conversations: { load }, bash }: Pick<Services, 'conversations' | 'bash'>): Load {
  return { activeRuns: load.running, waitingRuns: load.waiting, runningCommands: bash.running };
}

function webhooksOf(
  { webhooks: given, env = {}, keys }: ServerOptions,
  sources: ConversationSources,
  logger: Logger,
): Webhooks {
  return webhooks({
    ...sources,
    webhooks: webhookOptions(given, env),
    key: keys[0] ?? '',
    context: {
      fetch,
      delay: (ms, signal) => delay(ms, undefined, { signal, ref: false }).catch(() => undefined),
      onFailure: (err) => logger.warn({ err }, 'webhook'),
    },
  });
}

/** Creates the services of skills, plugins, hooks, sub-agents and servers of tools. */
function extensionServices(
  { home, env = {}, workspaceRoot = process.cwd(), now = Date.now }: ServerOptions,
  settings: ServerSettings | undefined,
  cipher: () => Promise<Cipher>,
): Pick<Services, 'packages' | 'extensions' | 'mcpTest'> {
  const places = { userHome: env['HOME'] ?? homedir(), workspaceRoot };
  const disabled = disabledNames(settings);
  const installed = settings && packages({ ...places, env, now, disabled });
  return {
    packages: installed,
    extensions: extensions({
      ...places,
      home,
      pluginSkills: async () => (await installed?.pluginSkills()) ?? [],
      disabledSkills: () => disabled.read('skills.disabled'),
    }),
    mcpTest: mcpTester({
      workspaceRoot,
      env,
      cipher,
      secrets: async () => (settings ? (await secretsForRun(settings.secrets)).values : {}),
    }),
  };
}

/** Ends everything that the services run; the signal aborts when time is over. Idempotent. */
export async function closeServices(services: Services, signal: AbortSignal): Promise<void> {
  services.streams.stop();
  await Promise.all([services.conversations.close(signal), services.bash[Symbol.asyncDispose]()]);
  await services.webhooks.close(signal);
}

/** Without a data directory, what is encrypted cannot be read after the end of the process. */
function encryptionOf({ home, env = {} }: ServerOptions): {
  readonly cipher: () => Promise<Cipher>;
  readonly records: PrivateRecords;
} {
  if (home === undefined) {
    const random = fernet(randomBytes(32));
    return { cipher: async () => random, records: memoryRecords() };
  }
  const passphrase = env['OH_SECRET_KEY'];
  const secrets = secretStore({ home, ...(passphrase && { passphrase }) });
  return {
    cipher: () => secrets.cipher(),
    records: privateRecords({ directory: join(home, 'conversations'), cipher: () => secrets.storageCipher() }),
  };
}
