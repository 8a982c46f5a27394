import { randomUUID } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Content } from '@varve/events';
import { StorageError } from '@varve/storage';
import { childFact } from './info/server-facts.ts';
import { dashedId } from './info/conversation-id.ts';
import { RequestError, unlessMissing } from '../error.ts';
import type { StartRequest } from './request/start-request.ts';
import { ConversationLoader, type ForkOptions, type LoaderOptions } from './conversation-loader.ts';
import { keyedQueue, RunQueue, repeatedly } from './queues.ts';
import type { LiveConversation } from './live/live-conversation.ts';
import { OpenConversations } from './open-conversations.ts';
import { abandonedRuns, isOwned, recoverRuns, runningIds } from './recover.ts';
import type { ProfiledAgent } from './request/agent-of-profile.ts';
import { addPlugin } from './changes/private-changes.ts';
import { requestedAgent, startPlan } from './request/start-plan.ts';
import { isMadeUpPath, prepareWorkspace } from './workspace.ts';

/** Is notified of the conversations that a process opens and closes. */
export interface ConversationWatcher {
  /** Called before a stored conversation is opened, and after a new one was created. Idempotent. */
  watch(id: string, from: 'start' | 'now'): Promise<void>;
  /** Called when a conversation is closed, or could not be opened. It must not reject. */
  unwatch(id: string): Promise<void>;
}

/** Options of {@link conversations}. */
export interface ConversationsOptions extends Omit<LoaderOptions, 'queue' | 'isReplica'> {
  /** Returns the agent of a profile. @throws {RequestError} */
  readonly agentOfProfile: (id: string) => Promise<ProfiledAgent>;
  /** Is notified of the conversations that are opened and closed. */
  readonly watcher: ConversationWatcher;
  /** Fetches plugins and returns their directories. @throws {RequestError} */
  readonly fetchPlugins: (sources: readonly PluginSource[]) => Promise<readonly string[]>;
  /** Directory of worktrees. */
  readonly worktreeRoot: string;
  /** Directory of conversations of a front end for which no workspace was chosen. */
  readonly defaultWorkspace?: string | undefined;
  /** Maximum number of runs at a time; the others wait. Default 8. */
  readonly maxRuns?: number | undefined;
  /** Lets another replica continue a run that the end of this server interrupts. Default: it is paused. */
  readonly abandon?: ((id: string) => Promise<void>) | undefined;
  /** Milliseconds without use after which a conversation is closed. Default 20 minutes. */
  readonly idleMs?: number | undefined;
  /** Calls a function repeatedly. Default: `setInterval`. */
  readonly every?: ((ms: number, tick: () => void) => Disposable) | undefined;
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

/**
 * The conversations of a server: what its routes can do with them. Ids are 32 hex digits. Every method opens the
 * conversation if need be, and rejects with a {@link StorageError} `missing` for an unknown id, or `held` if another
 * process has it.
 */
export interface Conversations extends AsyncDisposable {
  /** Creates a conversation, without its initial message; an id that exists changes nothing. @throws {RequestError} */
  create(request: StartRequest): Promise<Created>;
  /** Lets `work` use a conversation, which stays open until it ends. */
  use<Result>(id: string, work: (live: LiveConversation) => Promise<Result>): Promise<Result>;
  /** As `use`, for work that replaces what it read: it begins after the change before. */
  change<Result>(id: string, work: (live: LiveConversation) => Promise<Result>): Promise<Result>;
  /** Stores a message. With `run`, it is answered: by the active run, or a new one. */
  send(id: string, content: readonly Content[], options: { readonly run: boolean }): Promise<Sent>;
  /** Copies a conversation and returns the id. @throws {RequestError} `unknown` event, `conflict` for a used id. */
  fork(id: string, options: ForkOptions & { readonly id?: string | undefined }): Promise<string>;
  /** Adds the skills of an installed plugin from the next run on. @throws {RequestError} `unsupported`. */
  loadPlugin(id: string, directory: string): Promise<void>;
  /** Stops a run, closes the conversation and removes it with all its data. */
  remove(id: string): Promise<void>;
  /** Continues the runs that a crash ended. Resolves when they are requested. */
  recover(): Promise<void>;
  /**
   * Continues the runs of these conversations, whose processes ended, and those that a failure of the store ended here,
   * as long as no run waits for its turn.
   */
  takeOver(ids: readonly string[]): Promise<void>;
  /** Returns true for a conversation that is open in this process. */
  isOpen(id: string): boolean;
  /** Number of runs that are active, and that wait. */
  readonly load: { readonly running: number; readonly waiting: number };
  /** Pauses all runs and closes all conversations; the signal ends the wait for their current steps. */
  release(signal: AbortSignal): Promise<void>;
  /** Closes all conversations so that other replicas continue their runs; the signal ends the wait for their steps. */
  handOver(signal: AbortSignal): Promise<void>;
  /** As `handOver`; then nothing can be opened. Idempotent. */
  close(signal: AbortSignal): Promise<void>;
}

const minute = 60_000;
/** Wait for the current step of a run when its conversation is removed. @see agent-server 1.43.1 delete */
const removeWaitMs = 10_000;

/** Creates the conversations of a server. */
export function conversations(options: ConversationsOptions): Conversations {
  const {
    store,
    folds,
    watcher,
    secrets,
    abandon,
    maxRuns = 8,
    idleMs = 20 * minute,
    every = repeatedly,
    now,
    onFailure,
  } = options;
  const queue = new RunQueue(maxRuns);
  const loader = new ConversationLoader({ ...options, queue, isReplica: abandon !== undefined });
  const open = new OpenConversations({
    load: (id) => loader.load(id),
    onOpen: (id, from) => watcher.watch(id, from),
    async onClose(id) {
      secrets.remove(id);
      await watcher.unwatch(id);
    },
    abandon,
    idleMs,
    now,
    every,
    onFailure: (error) => onFailure(error, ''),
  });
  const use: Conversations['use'] = (id, work) => open.use(id, work);
  const creations = keyedQueue();
  const changes = keyedQueue();
  const change: Conversations['change'] = (id, work) => use(id, (live) => changes(id, () => work(live)));
  const close = (signal: AbortSignal): Promise<void> => open.closeAll(signal);
  return {
    create(request) {
      const id = request.conversation_id ?? newId();
      return creations(id, () => createConversation(id, request, { ...options, loader, open }));
    },
    use,
    change,
    send: (id, content, { run }) =>
      use(id, async (live) => {
        const eventId = content.length === 0 ? undefined : await live.conversation.send(content);
        if (run) await live.runs.startOrContinue();
        return eventId === undefined ? {} : { eventId };
      }),
    async fork(id, { id: fork = newId(), ...wanted }) {
      await creations(fork, () => forkConversation(id, fork, wanted, { ...options, loader, open }));
      return fork;
    },
    async loadPlugin(id, directory) {
      await change(id, (live) => addPlugin(directory, live));
      // It is opened again with the skills.
      await open.close(id, AbortSignal.abort());
    },
    async remove(id) {
      const live = await open.find(id);
      const waited = AbortSignal.timeout(removeWaitMs);
      // Another removal may close it.
      if (live?.runs.isActive) await live.runs.interrupt().catch(() => undefined);
      await open.remove(id, waited, () => removeStored(id, options));
    },
    recover: () => recoverRuns(runningIds(store), { use, onFailure }),
    async takeOver(ids) {
      const stalled = queue.waiting === 0 ? await open.closeStalled() : [];
      const wanted = abandonedRuns([...stalled, ...ids], {
        store,
        folds,
        hasRoom: () => queue.waiting === 0 && !open.isEnding,
      });
      await recoverRuns(wanted, { use, onFailure });
    },
    isOpen: (id) => open.has(id),
    get load() {
      return { running: queue.running, waiting: queue.waiting };
    },
    release: (signal) => open.release(signal),
    handOver: (signal) => open.handOver(signal),
    close,
    [Symbol.asyncDispose]: () => close(AbortSignal.abort()),
  };
}

interface CreateContext extends ConversationsOptions {
  readonly loader: ConversationLoader;
  readonly open: OpenConversations;
}

async function createConversation(id: string, request: StartRequest, context: CreateContext): Promise<Created> {
  const { store, cipher, loader, open } = context;
  if (await exists(id, context)) return { id, isNew: false };
  const { agent, launched } = await requestedAgent(request, context);
  const plan = startPlan(request, { agent, launched }, await cipher());
  await checkParent(id, request, store);
  const workspace = await workspaceOf(id, request, context);
  const plugins = await fetchedPlugins(request, context);
  const complete = { ...plan, privateRecord: { ...plan.privateRecord, ...(plugins.length > 0 && { plugins }) } };
  try {
    await open.add(id, () => loader.create(id, complete, workspace));
    if (typeof request.parent_conversation_id === 'string') await addChild(request.parent_conversation_id, id, context);
    return { id, isNew: true };
  } catch (error) {
    if (error instanceof StorageError && error.code === 'exists') return { id, isNew: false };
    throw error;
  }
}

/** Returns the directory of a new conversation. The default one exists, and remains as it is. */
async function workspaceOf(
  id: string,
  { workspace: { working_dir: path }, worktree }: StartRequest,
  { worktreeRoot, defaultWorkspace, environment: { env } }: CreateContext,
): Promise<string> {
  if (defaultWorkspace !== undefined && isMadeUpPath(path, id)) return defaultWorkspace;
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
async function addChild(parent: string, child: string, { open, onFailure }: CreateContext): Promise<void> {
  try {
    await open.use(parent, ({ conversation }) =>
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
  { store, loader, open }: CreateContext,
): Promise<void> {
  const { at } = options;
  await open.use(id, async (origin) => {
    if (at !== undefined && (await (await store.read(id)).seqOf(at)) === undefined) {
      throw new RequestError('unknown', `Unknown from_event_id: ${at}`);
    }
    if (await exists(fork, { store })) {
      throw new RequestError('conflict', `Conversation with id ${dashedId(fork)} already exists`);
    }
    await open.add(fork, () => loader.fork(fork, origin, options));
  });
}

/** Removes a conversation and its private values: also those that a removal which was killed has left. */
async function removeStored(id: string, { store, records }: ConversationsOptions): Promise<void> {
  const removed = store.remove(id);
  await unlessMissing(removed);
  await records.remove(id);
  await removed;
}

async function exists(id: string, { store }: Pick<CreateContext, 'store'>): Promise<boolean> {
  return (await unlessMissing(store.summary(id))) !== undefined;
}

/** @see agent-server 1.43.1: a parent exists and has the same directory */
async function checkParent(
  id: string,
  { parent_conversation_id: parent, workspace }: StartRequest,
  store: CreateContext['store'],
): Promise<void> {
  if (typeof parent !== 'string') return;
  const name = dashedId(parent);
  if (parent === id) throw new RequestError('invalid', 'A conversation cannot be its own parent.');
  const { meta } = await store.summary(parent).catch(() => {
    throw new RequestError('invalid', `Parent conversation not found: ${name}`);
  });
  const directory = typeof meta === 'object' && meta !== null && 'workspace' in meta ? meta['workspace'] : undefined;
  const path = resolve(workspace.working_dir);
  if (directory === (await realpath(path).catch(() => path))) return;
  throw new RequestError('invalid', `The parent conversation ${name} has another working directory.`);
}

function newId(): string {
  return randomUUID().replaceAll('-', '');
}
