import { memoryStore, type EventStore } from '@varve/storage';
import { directoryStore } from '@varve/storage/directory';
import { AgentError, Conversation } from '@varve/agent';
import { isStored, storedId, type Persistence } from './state-file.ts';

/** Options of `Conversation.create` of `@varve/agent`. */
export type CreateOptions = Parameters<typeof Conversation.create>[0];

/** Options of `Conversation.open` of `@varve/agent`. */
export type OpenOptions = Parameters<typeof Conversation.open>[0];

/** Options of a conversation that is opened by its name, or created if it is new. */
export interface NamedOptions extends Omit<OpenOptions, 'store' | 'id'>, Partial<Pick<CreateOptions, 'id'>> {
  /** Store, which is not owned, or path of a directory. Default: a new store in memory. */
  readonly persistence?: Persistence;
}

/** An open conversation and its store. */
export interface Opened {
  readonly conversation: Conversation;
  readonly store: EventStore;
  /** The store, if it is to be disposed with the conversation. */
  readonly owned?: EventStore;
}

/** Opens a conversation, or creates it with an agent and a workspace. @throws {AgentError} {@link StorageError} */
export async function openNamed({
  persistence = memoryStore(),
  id,
  ...options
}: NamedOptions & { readonly id: string }): Promise<Opened> {
  return openIn(persistence, async (store) => {
    if (await isStored(store, await storedId(store, id))) return Conversation.open({ ...options, store, id });
    const { agent, workspace } = options;
    if (!agent) throw new AgentError('invalid', `Conversation ${id} is new, and it has no agent.`);
    if (workspace === undefined) throw new AgentError('invalid', `Conversation ${id} is new, and it has no workspace.`);
    return Conversation.create({ ...options, agent, workspace, store, id });
  });
}

/** Opens a conversation in a store, or in a directory whose store is owned then. */
export async function openIn(
  persistence: Persistence,
  open: (store: EventStore) => Promise<Conversation>,
): Promise<Opened> {
  if (typeof persistence !== 'string') return { conversation: await open(persistence), store: persistence };
  const store = await directoryStore({ path: persistence });
  try {
    return { conversation: await open(store), store, owned: store };
  } catch (error) {
    await store[Symbol.asyncDispose]();
    throw error;
  }
}
