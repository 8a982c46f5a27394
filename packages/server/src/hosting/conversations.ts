import { randomUUID } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Content } from '@varve/events';
import type { HostingOptions } from '@varve/host';
import { agentNamed, ConversationHost, isOwned, type ConversationWatcher } from '@varve/host/kit';
import { unlessMissing } from '@varve/storage/kit';
import { StorageError, type Summary } from '@varve/storage';
import { childFact } from '../reference/info/server-facts.ts';
import { dashedId, isAddressable } from '../reference/info/conversation-id.ts';
import { type Access, fullAccess, seenOwner, visibleSummary } from '../access.ts';
import { RequestError } from '../error.ts';
import type { StartRequest } from '../reference/request/start-request.ts';
import { ConversationLoader, type ForkOptions, type LoaderOptions } from './conversation-loader.ts';
import type { LiveConversation } from './live-conversation.ts';
import type { ProfiledAgent } from '../reference/request/agent-of-profile.ts';
import { addPlugin } from './changes/private-changes.ts';
import { namedPlan, requestedAgent, startPlan, type StartPlan } from '../reference/request/start-plan.ts';
import { isMadeUpPath, ownRequest, prepareWorkspace } from './workspace.ts';

/** Options of {@link conversations}. */
export interface ConversationsOptions extends LoaderOptions, Omit<HostingOptions, keyof LoaderOptions> {
  /** Returns the agent of a profile. @throws {RequestError} */
  readonly agentOfProfile: (id: string) => Promise<ProfiledAgent>;
  /** Is notified of the conversations that are opened and closed. */
  readonly watcher: ConversationWatcher;
  /** Fetches plugins and returns their directories. @throws {RequestError} */
  readonly fetchPlugins: (sources: readonly PluginSource[]) => Promise<readonly string[]>;
  /** Directory of the workspaces of owners. */
  readonly workspaceRoot: string;
  /** Directory of worktrees. */
  readonly worktreeRoot: string;
  /** Directory of conversations of a front end for which no workspace was chosen. */
  readonly defaultWorkspace?: string | undefined;
}

/** Source of a plugin: a directory, an archive or a repository. */
export interface PluginSource {
  readonly source: string;
  readonly ref?: string | undefined;
  /** Directory in the source, relative to it. */
  readonly repo_path?: string | undefined;
}

/** A conversation that was created, or existed. */
export interface Created {
  readonly id: string;
  readonly isNew: boolean;
}

/** Result of a message. */
export interface Sent {
  /** Id of the event; absent for a message without content, which is not stored. */
  readonly eventId?: string;
}

/** Circumstances of a message. */
export interface SendOptions {
  readonly run: boolean;
  /** Id of its event; default a new one. */
  readonly id?: string | undefined;
}

/** Copy of a conversation, with its id; default a new one. */
type NewFork = ForkOptions & { readonly id?: string | undefined };

/**
 * The conversations of a server: what its routes can do with them. Ids are 32 hex digits. Every method opens the
 * conversation if need be, and rejects with a {@link StorageError} `missing` for an unknown id, or `held` if another
 * process has it.
 */
export interface Conversations extends ConversationHost<LiveConversation> {
  /**
   * Creates a conversation of its sender, by default the person who runs the server, without its initial message; an id
   * that exists changes nothing. @throws {RequestError}
   */
  create(request: StartRequest, access?: Access): Promise<Created>;
  /** Stores a message, one with an id once. With `run`, it is answered: by the active run, or a new one. */
  send(id: string, content: readonly Content[], options: SendOptions): Promise<Sent>;
  /** Copies a conversation and returns the id. @throws {RequestError} `unknown` event, `conflict` for a used id. */
  fork(id: string, fork: NewFork): Promise<string>;
  /** Adds the skills of an installed plugin from the next run on. @throws {RequestError} `unsupported`. */
  loadPlugin(id: string, directory: string): Promise<void>;
}

/** Creates the conversations of a server. */
export function conversations(options: ConversationsOptions): Conversations {
  const { folds, watcher, secrets } = options;
  const loader = new ConversationLoader(options);
  const host = new ConversationHost<LiveConversation>({
    ...options,
    load: (id, queue) => loader.load(id, queue),
    isHosted: async (summary) =>
      isAddressable(summary.id) && (await folds.of(summary)).reported.configuration !== undefined,
    watcher: {
      watch: (id, from) => watcher.watch(id, from),
      async unwatch(id) {
        secrets.remove(id);
        await watcher.unwatch(id);
      },
    },
    removeStored: (id) => removeStored(id, options),
  });
  const context = { ...options, loader, host };
  return Object.assign(host, {
    async create(request: StartRequest, access: Access = fullAccess) {
      const id = request.conversation_id ?? newId();
      if (request.initial_message) await host.queue.of(access.owner ?? '').admit();
      return host.creating(id, () =>
        createConversation(id, ownRequest(id, request, { ...options, access }), { ...context, access }),
      );
    },
    send: (id: string, content: readonly Content[], { run, id: messageId }: SendOptions) =>
      host.use(id, async ({ hosted }) => {
        if (content.length > 0) return { eventId: await hosted.send(content, { run, id: messageId }) };
        if (run) await hosted.runs.startOrContinue();
        return {};
      }),
    async fork(id: string, { id: fork = newId(), ...wanted }: NewFork) {
      await host.creating(fork, () => forkConversation(id, fork, wanted, context));
      return fork;
    },
    async loadPlugin(id: string, directory: string) {
      await host.change(id, (live) => addPlugin(directory, live));
      // It is opened again with the skills.
      await host.reopen(id);
    },
  });
}

interface CreateContext extends ConversationsOptions {
  readonly loader: ConversationLoader;
  readonly host: ConversationHost<LiveConversation>;
  readonly access: Access;
}

async function createConversation(id: string, request: StartRequest, context: CreateContext): Promise<Created> {
  const { loader, host, access } = context;
  if (await host.exists(id)) return existing(id, context);
  const plan = await planOf(request, context);
  const { owner } = (await parentOf(id, request, context)) ?? access;
  const workspace = await workspaceOf(id, request, context);
  const plugins = await fetchedPlugins(request, context);
  const complete = { ...plan, privateRecord: { ...plan.privateRecord, ...(plugins.length > 0 && { plugins }) } };
  try {
    await host.add(id, (queue) => loader.create(id, complete, { workspace, owner, queue }), owner);
    if (typeof request.parent_conversation_id === 'string') await addChild(request.parent_conversation_id, id, context);
    return { id, isNew: true };
  } catch (error) {
    if (error instanceof StorageError && error.code === 'exists') return existing(id, context);
    throw error;
  }
}

async function planOf(request: StartRequest, context: CreateContext): Promise<StartPlan> {
  const { agent_name: name } = request;
  if (typeof name === 'string') return namedPlan(request, name, await agentNamed(name, context.agents));
  return startPlan(request, await requestedAgent(request, context), await context.cipher());
}

/** Returns a conversation that exists. @throws {RequestError} `conflict` for one that the sender does not see. */
async function existing(id: string, { store, access }: CreateContext): Promise<Created> {
  if (await unlessMissing(visibleSummary(store, id, access))) return { id, isNew: false };
  throw new RequestError('conflict', `Conversation with id ${dashedId(id)} already exists`);
}

/** Returns the directory of a new conversation. The default one exists, and remains as it is. */
async function workspaceOf(
  id: string,
  { workspace: { working_dir: path }, worktree }: StartRequest,
  { access, worktreeRoot, defaultWorkspace, environment: { env } }: CreateContext,
): Promise<string> {
  // For an owner, a made-up path has been replaced before: any other one is below its directory.
  const isOwners = seenOwner(access) !== undefined;
  if (defaultWorkspace !== undefined && !isOwners && isMadeUpPath(path, id)) return defaultWorkspace;
  return prepareWorkspace({ path, id, worktreeRoot: worktree ? worktreeRoot : undefined, env });
}

async function fetchedPlugins({ plugins }: StartRequest, { fetchPlugins }: CreateContext): Promise<string[]> {
  const sources = (plugins ?? []).map(({ source, ref, repo_path }) => ({
    source,
    ref: ref ?? undefined,
    repo_path: repo_path ?? undefined,
  }));
  return sources.length === 0 ? [] : [...(await fetchPlugins(sources))];
}

/** Names a child in the log of its parent. The child exists, whether or not the parent can be opened. */
async function addChild(parent: string, child: string, { host, onFailure }: CreateContext): Promise<void> {
  try {
    await host.use(parent, ({ conversation }) =>
      conversation.record((stamp) => childFact.create({ conversation_id: child }, stamp)),
    );
  } catch (error) {
    if (!isOwned(error)) onFailure(error, parent);
  }
}

async function forkConversation(
  id: string,
  fork: string,
  options: ForkOptions,
  { store, loader, host }: Omit<CreateContext, 'access'>,
): Promise<void> {
  const { at } = options;
  await host.use(id, async (origin) => {
    if (at !== undefined && (await (await store.read(id)).seqOf(at)) === undefined) {
      throw new RequestError('unknown', `Unknown from_event_id: ${at}`);
    }
    if (await host.exists(fork)) {
      throw new RequestError('conflict', `Conversation with id ${dashedId(fork)} already exists`);
    }
    const { owner } = await store.summary(id);
    await host.add(fork, (queue) => loader.fork(fork, origin, options, queue), owner);
  });
}

/** Removes a conversation and its private values: also those that a removal which was killed has left. */
async function removeStored(id: string, { store, records }: ConversationsOptions): Promise<void> {
  const removed = store.remove(id);
  await unlessMissing(removed);
  await records.remove(id);
  await removed;
}

/** @see agent-server 1.43.1: a parent exists and has the same directory */
async function parentOf(
  id: string,
  { parent_conversation_id: parent, workspace }: StartRequest,
  { store, access }: CreateContext,
): Promise<Summary | undefined> {
  if (typeof parent !== 'string') return undefined;
  const name = dashedId(parent);
  if (parent === id) throw new RequestError('invalid', 'A conversation cannot be its own parent.');
  const summary = await visibleSummary(store, parent, access).catch(() => {
    throw new RequestError('invalid', `Parent conversation not found: ${name}`);
  });
  const { meta } = summary;
  const directory = typeof meta === 'object' && meta !== null && 'workspace' in meta ? meta['workspace'] : undefined;
  const path = resolve(workspace.working_dir);
  if (directory === (await realpath(path).catch(() => path))) return summary;
  throw new RequestError('invalid', `The parent conversation ${name} has another working directory.`);
}

function newId(): string {
  return randomUUID().replaceAll('-', '');
}
