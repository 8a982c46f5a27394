import { type PrivateRecords, fernet, privateRecords, secretStore, type Cipher } from '@varve/settings/secrets';
import { randomBytes } from 'node:crypto';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { HostingOptions, HostOptions } from '@varve/host';
import type { ConversationWatcher } from '@varve/host/kit';
import type { ModelFromOptions, ModelWrapper } from '@varve/llm';
import type { EventStore } from '@varve/storage';
import type { Variables } from '@varve/text';
import { RequestError } from '../error.ts';
import { packages, type Packages } from '../extensions/packages.ts';
import { disabledNames } from '../settings/disabled-names.ts';
import { serverSettings, type ServerSettings } from '../settings/server-settings.ts';
import { titleModels } from '../settings/title-model.ts';
import { conversations, type Conversations, type PluginSource } from './conversations.ts';
import { conversationFolds, type ConversationSources } from '../reference/info/conversation-folds.ts';
import { createFeed } from '../reference/info/feed.ts';
import { secretsInUse, type SecretsInUse } from '../reference/private/secrets-in-use.ts';
import { agentOfProfile } from '../reference/request/agent-of-profile.ts';

/** Options of {@link serverHost}. */
export interface ServerHostOptions extends HostingOptions {
  /** Store of the conversations; the caller closes it after the host. */
  readonly store: EventStore;
  /**
   * Data directory: settings, profiles, secrets, and the keys of conversations. Without one there are no settings, and
   * keys are lost at the end of the process.
   */
  readonly home?: string | undefined;
  /** Stores the encrypted private values of conversations; default: files in the data directory. */
  readonly tokens?: PrivateRecords | undefined;
  /** Environment: keys of providers, and the base of the environment of commands. Default: none. */
  readonly env?: Variables | undefined;
  /** Directory of relative paths. Default: that of this process. */
  readonly workspaceRoot?: string | undefined;
  /** Directory of conversations of a front end for which no workspace was chosen. Default: the one that it made up. */
  readonly defaultWorkspace?: string | undefined;
  /** Directory of worktrees of conversations. Default: `conversation-worktrees` in the data directory. */
  readonly worktreeRoot?: string | undefined;
  /** Agents in code by name. */
  readonly agents?: HostOptions['agents'] | undefined;
  /** Wraps the models of agents. */
  readonly wrapModel?: ModelWrapper | undefined;
  readonly native?: ModelFromOptions['native'];
  /** Receives a sentence about what has no effect in the agent of a conversation. Default: ignored. */
  readonly onNotice?: ((notice: string, conversationId: string) => void) | undefined;
}

/** Parts that a server shares with its host. */
export interface HostParts {
  readonly sources: ConversationSources;
  readonly watcher: ConversationWatcher;
  readonly secrets: SecretsInUse;
}

/** Hosts the conversations of a store in this process. Disposing pauses their runs. */
export interface ServerHost extends AsyncDisposable {
  readonly conversations: Conversations;
  /** Settings of the person; absent without a data directory. */
  readonly settings: ServerSettings | undefined;
  /** Installed skills and plugins; absent without a data directory. */
  readonly packages: Packages | undefined;
  /** Returns the cipher of what clients send encrypted. */
  readonly cipher: () => Promise<Cipher>;
}

/** Creates what a host reads of its conversations: folds of their logs, and messages that no log contains. */
export function conversationSources({
  store,
  now = Date.now,
}: Pick<ServerHostOptions, 'store' | 'now'>): ConversationSources {
  return { store, now, folds: conversationFolds(store), feed: createFeed() };
}

/**
 * Hosts conversations: creates and opens them, queues their runs, closes those that are not used, and continues after a
 * crash with `conversations.recover()`.
 */
export function serverHost(options: ServerHostOptions, parts: Partial<HostParts> = {}): ServerHost {
  const { env = {}, workspaceRoot = process.cwd(), onFailure = ignore, onNotice = ignore, wrapModel, native } = options;
  // Tools are given absolute paths only.
  const home = options.home === undefined ? undefined : resolve(options.home);
  const { sources = conversationSources(options), watcher = noWatcher, secrets = secretsInUse([]) } = parts;
  const { now } = sources;
  const userHome = env['HOME'] ?? homedir();
  const settings =
    home === undefined ? undefined : serverSettings({ home, env, userHome, passphrase: env['OH_SECRET_KEY'] });
  const installed = settings && packages({ userHome, workspaceRoot, env, now, disabled: disabledNames(settings) });
  const pluginSkills = async (): Promise<readonly string[]> => (await installed?.pluginSkills()) ?? [];
  const { cipher, records } = encryptionOf({ ...options, home }, 'conversations');
  const hosted = conversations({
    ...options,
    agents: options.agents ?? {},
    ...sources,
    watcher,
    secrets,
    records,
    cipher,
    environment: { env, home, userHome, settings, now, pluginSkills, wrapModel, native },
    titleModel: titleModels(settings),
    agentOfProfile: (id) => agentOfProfile(id, settings),
    fetchPlugins: (plugins) => fetchedPlugins(plugins, installed),
    workspaceRoot,
    worktreeRoot: options.worktreeRoot ?? join(home ?? tmpdir(), 'conversation-worktrees'),
    onFailure,
    onNotice,
  });
  return {
    conversations: hosted,
    settings,
    packages: installed,
    cipher,
    [Symbol.asyncDispose]: () => hosted[Symbol.asyncDispose](),
  };
}

const noWatcher: ConversationWatcher = { watch: async () => undefined, unwatch: async () => undefined };

function ignore(): void {
  // A host without a log.
}

/** Milliseconds to fetch the plugins of a request. */
const pluginTimeoutMs = 60_000;

/** Fetches plugins for a conversation. @throws {RequestError} `unsupported` for a host without a data directory. */
async function fetchedPlugins(
  plugins: readonly PluginSource[],
  installed: Packages | undefined,
): Promise<readonly string[]> {
  if (!installed) throw new RequestError('unsupported', 'This server has no data directory for plugins.');
  return installed.fetchPlugins(plugins, AbortSignal.timeout(pluginTimeoutMs));
}

/**
 * Returns the cipher of a host, and the records of a folder of its data directory, which it encrypts. Without a data
 * directory, what is encrypted cannot be read after the end of the process.
 */
export function encryptionOf(
  { home, env = {}, tokens }: Pick<ServerHostOptions, 'home' | 'env' | 'tokens'>,
  folder: string,
): {
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
    records: privateRecords({
      directory: join(home, folder),
      tokens,
      cipher: () => secrets.storageCipher(),
    }),
  };
}

/** Returns private records that end with the process, for a server without a data directory. */
export function memoryRecords(): PrivateRecords {
  const records = new Map<string, string>();
  return {
    read: async (id) => records.get(id),
    async write(id, text) {
      records.set(id, text);
    },
    async remove(id) {
      records.delete(id);
    },
  };
}
