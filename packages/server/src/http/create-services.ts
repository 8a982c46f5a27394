import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openAgentSandbox } from '@varve/settings/agent';
import { secretsForRun, type Cipher } from '@varve/settings/secrets';
import type { Stored } from '@varve/storage';
import type { Logger } from 'pino';
import { extensions } from '../extensions/extensions.ts';
import { mcpTester } from '../extensions/mcp-test.ts';
import type { Packages } from '../extensions/packages.ts';
import { repeatedly } from '@varve/host/kit';
import { conversationSources, serverHost, encryptionOf } from '../hosting/host.ts';
import type { ConversationSources } from '../reference/info/conversation-folds.ts';
import { secretsInUse, type SecretsInUse } from '../reference/private/secrets-in-use.ts';
import type { ServerOptions } from '../server-options.ts';
import { disabledNames } from '../settings/disabled-names.ts';
import type { ServerSettings } from '../settings/server-settings.ts';
import { monotonicNow, replicaOf, type Replica } from '../replicas/replica.ts';
import { runningTasks } from '../replicas/running-tasks.ts';
import type { SharedCommands } from '../replicas/shared-commands.ts';
import { liveLogs } from '../streams/live-logs.ts';
import { receivesKey } from '../streams/webhooks/delivery-headers.ts';
import { webhookOptions } from '../streams/webhooks/webhook-options.ts';
import { Webhooks } from '../streams/webhooks/webhooks.ts';
import { bashService, type BashServiceOptions } from '../workspace/bash/bash-service.ts';
import { directoryEvents, memoryEvents } from '../workspace/bash/bash-event-store.ts';
import { directoryLists } from '../hosting/task-lists.ts';
import { retentionOf } from '../workspace/bash/old-events.ts';
import { fileAccess } from '../workspace/files/file-access.ts';
import { workspaces } from '../workspace/workspace-list.ts';
import { initialized, type Initialization } from './deferred/initialization.ts';
import { createActivity } from './operations/activity.ts';
import { createMetrics, type Load } from './operations/metrics.ts';
import { readiness } from './operations/readiness.ts';
import { loggerFor } from './request-log.ts';
import type { Services } from './services.ts';

/** Creates the services of a server. */
export function createServices(options: ServerOptions, initialization: Initialization = initialized): Services {
  const { home, keys, scopedKeys = [], env = {}, workspaceRoot = process.cwd(), now = Date.now } = options;
  const passphrase = env['OH_SECRET_KEY'];
  const secrets = secretsInUse([...keys, ...scopedKeys.map(({ key }) => key), ...(passphrase ? [passphrase] : [])]);
  const logger = loggerFor(options.log, secrets.redactor.text);
  const sources = conversationSources(options);
  const replica = replicaOf(options);
  const receivers = webhooksOf(options, { sources, logger, replica });
  const host = serverHost(
    {
      ...options,
      tokens: replica?.tokens,
      abandon: replica?.abandon,
      onRoom: replica && (() => replica.look()),
      ...(options.frontEnd !== undefined && { defaultWorkspace: workspaceRoot }),
      onFailure: (err, conversation_id) => logger.error({ err, conversation_id }, 'failure'),
      onNotice: (notice, conversation_id) => logger.warn({ notice, conversation_id }, 'agent'),
    },
    { sources, watcher: receivers, secrets },
  );
  const { conversations, settings, packages, cipher } = host;
  const services: Omit<Services, 'metrics'> = {
    ...sources,
    logger,
    conversations,
    cipher,
    settings,
    packages,
    streams: liveLogs(sources, replica && ((id, stored) => notifyState(id, stored, services))),
    replica,
    webhooks: receivers,
    ...extensionServices(options, host),
    bash: bashOf(options, { secrets, logger, settings, commands: replica?.commands }),
    secrets,
    files: fileAccess(options.fileRoots ?? ['/']),
    workspaces: workspaces(home === undefined ? undefined : join(home, 'workspaces.json')),
    workspaceRoot,
    userHome: env['HOME'] ?? homedir(),
    activity: createActivity(now),
    readiness: readiness(options.store, monotonicNow),
    initialization,
    startedAt: now(),
  };
  return { ...services, metrics: createMetrics(() => loadOf(services)) };
}

/** Events of a conversation that another replica runs are followed by its whole state, as those of an open one. */
function notifyState(id: string, { kind, text }: Stored, { conversations, feed }: Omit<Services, 'metrics'>): void {
  if (kind !== 'ConversationStateUpdateEvent' || conversations.isOpen(id)) return;
  if (text.includes('"execution_status"') && !text.includes('"running"')) feed.publish(id, { kind: 'full_state' });
}

/** Services and settings for the commands of clients. */
interface BashSources {
  readonly secrets: SecretsInUse;
  readonly logger: Logger;
  readonly settings: ServerSettings | undefined;
  readonly commands: SharedCommands | undefined;
}

/** Creates the commands of clients. */
function bashOf(
  options: ServerOptions,
  { secrets: { redactor }, logger, settings, commands }: BashSources,
): Services['bash'] {
  const { home, env, workspaceRoot = process.cwd(), now = Date.now, every = repeatedly } = options;
  const { bashEventsDirectory: directory = home && join(home, 'bash_events') } = options;
  const onError = (err: unknown): void => logger.error({ err }, 'failure');
  const lists = commands?.lists ?? (directory === undefined ? undefined : directoryLists(`${directory}_running`));
  return bashService({
    store: commands?.store ?? (directory === undefined ? memoryEvents() : directoryEvents(directory)),
    follow: commands && ((listener) => commands.follow(listener, onError)),
    openRunning:
      lists && ((takeOver) => runningTasks({ lists, takeOver, every, now: monotonicNow, onFailure: onError })),
    root: workspaceRoot,
    env: env ?? process.env,
    openWalls: wallsOf(options, settings),
    redactor,
    retention: retentionOf(env ?? {}),
    now,
    onError,
  });
}

/** Returns the function that opens the walls around a command in a directory; undefined without settings. */
function wallsOf(
  { home, env = {} }: ServerOptions,
  settings: ServerSettings | undefined,
): BashServiceOptions['openWalls'] {
  if (!settings || home === undefined) return undefined;
  const userHome = env['HOME'] ?? homedir();
  return async (workspace) =>
    openAgentSandbox({ settings: await settings.at(workspace), workspace, home, userHome, env });
}

async function loadOf({ conversations, bash, store, now }: Omit<Services, 'metrics'>): Promise<Load> {
  const { load, figures } = conversations;
  const { ages, unowned } = figures;
  const [first] = unowned;
  const summary = first === undefined ? undefined : store.summary(first).catch(() => undefined);
  // Without its database a server still has figures of its own.
  const oldest = await Promise.race([summary, delay(1_000, undefined, { ref: false })]);
  const waitingMs = Math.max(ages.waiting, oldest ? now() - oldest.updatedAt : 0);
  return {
    activeRuns: load.running,
    waitingRuns: load.waiting,
    runningCommands: bash.running,
    oldestActive: ages.running / 1000,
    oldestWaiting: waitingMs / 1000,
    expiredLeases: unowned.length,
    takenOver: figures.continued,
    failedHandOvers: figures.failedHandOvers,
  };
}

function webhooksOf(
  { webhooks: receivers, env = {}, keys, home, every = repeatedly, now = Date.now }: ServerOptions,
  { sources, logger, replica }: Pick<Services, 'logger' | 'replica'> & { readonly sources: ConversationSources },
): Webhooks {
  const lists = replica?.webhooks.lists ?? (home && directoryLists(join(home, 'webhooks_running')));
  const onFailure = (err: unknown): void => logger.warn({ err }, 'webhook');
  const webhooks = webhookOptions(receivers, env);
  const isRefused = webhooks.some((each) => each.send_key && !receivesKey(each));
  if (isRefused) logger.warn('a webhook is not sent the key: it would be sent over plain HTTP to another host');
  return new Webhooks({
    ...sources,
    positions: encryptionOf({ home, env, tokens: replica?.webhooks.tokens }, 'webhooks').records,
    openTasks: lists ? (takeOver) => runningTasks({ lists, takeOver, every, now: monotonicNow, onFailure }) : undefined,
    every,
    webhooks,
    key: keys[0] ?? '',
    now,
    newId: randomUUID,
    context: {
      fetch,
      delay: (ms, signal) => delay(ms, undefined, { signal, ref: false }).catch(() => undefined),
      onFailure,
    },
  });
}

/** What the services of extensions use. */
interface ExtensionSources {
  readonly settings: ServerSettings | undefined;
  readonly packages: Packages | undefined;
  readonly cipher: () => Promise<Cipher>;
}

/** Creates the services of skills, plugins, hooks, sub-agents and servers of tools. */
function extensionServices(
  { home, env = {}, workspaceRoot = process.cwd() }: ServerOptions,
  { settings, packages, cipher }: ExtensionSources,
): Pick<Services, 'extensions' | 'mcpTest'> {
  const disabled = disabledNames(settings);
  return {
    extensions: extensions({
      userHome: env['HOME'] ?? homedir(),
      workspaceRoot,
      home,
      pluginSkills: async () => (await packages?.pluginSkills()) ?? [],
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

/** Time for the step of a run in a conversation that another replica wants. */
const giveUpMs = 5_000;

/**
 * Continues interrupted runs. Requests need not wait for it: what they use is opened for them. Failures are logged.
 */
export async function recoverServices({ conversations, replica, webhooks, logger }: Services): Promise<void> {
  try {
    webhooks.start();
    if (replica) void reportAddress(replica, logger);
    await replica?.watch({
      recover: (ids) => conversations.takeOver(ids),
      giveUp: (id) => conversations.giveUp(id, AbortSignal.timeout(giveUpMs)),
      onFailure: (err) => logger.error({ err }, 'failure'),
    });
    await conversations.recover();
  } catch (err) {
    logger.error({ err }, 'failure');
  }
}

async function reportAddress(replica: Replica, logger: Logger): Promise<void> {
  if (await replica.isReachable()) return;
  logger.error({ address: replica.address }, 'this replica does not answer at its address');
}

/** Ends everything that the services run; the signal aborts when time is over. Idempotent. */
export async function closeServices(services: Services, signal: AbortSignal): Promise<void> {
  services.streams.stop();
  services.replica?.stop();
  await Promise.all([services.conversations.close(signal), services.bash[Symbol.asyncDispose]()]);
  await services.webhooks.close(signal);
}
