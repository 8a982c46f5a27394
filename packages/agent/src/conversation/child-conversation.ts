import { StorageError, type EventStore } from '@varve/storage';
import { AgentError } from '../error.ts';
import { readMeta } from '../log/conversation-meta.ts';
import type { Session } from '../session.ts';
import { withoutUndefined } from '../without-undefined.ts';
import type { ConversationOptions, CreateOptions, OpenOptions } from './conversation-options.ts';
import { createSession, openSession } from './open-session.ts';
import { inheritPolicies } from './resume-agent.ts';

/** Options of a child conversation that differ from its parent's. */
export interface ChildOptions
  extends
    Partial<Pick<CreateOptions, 'id' | 'agent' | 'secrets' | 'workspace' | 'clientTools'>>,
    Pick<OpenOptions, 'missingTools'> {}

/**
 * Creates a child conversation in the parent's store, or opens the child with that id. Workspace and agent are the
 * parent's unless the options differ. The parent's secrets are masked too, and policies that the agent does not set are
 * the parent's.
 *
 * @throws {AgentError} `invalid` when a conversation with that id is not a child of this one.
 */
export async function childSession(
  parent: Session,
  { store, secrets = [], kinds, now, timeout, newId }: ConversationOptions,
  child: ChildOptions & { readonly id: string },
): Promise<{ readonly session: Session; readonly options: ConversationOptions }> {
  const { conversationId } = parent;
  const { id, clientTools = [], missingTools = 'refuse' } = child;
  // Workspace and client tools of the parent are not inherited by the children of this child.
  const options: ConversationOptions = {
    agent: inheritPolicies(child.agent ?? parent.agent, parent.agent),
    store,
    secrets: [...secrets, ...(child.secrets ?? [])],
    ...withoutUndefined({ kinds, now, timeout, newId }),
  };
  const own = { ...options, ...withoutUndefined({ workspace: child.workspace }), clientTools, id };
  const meta = await storedMeta(id, store);
  if (meta === undefined) {
    return { session: await createSession({ workspace: parent.workspace, ...own }, parent), options };
  }
  if (meta.parent !== conversationId) {
    throw new AgentError('invalid', `Conversation ${id} is not a child of conversation ${conversationId}.`);
  }
  return { session: await openSession({ ...own, missingTools }, parent), options };
}

async function storedMeta(id: string, store: EventStore): Promise<ReturnType<typeof readMeta> | undefined> {
  try {
    return readMeta((await store.summary(id)).meta);
  } catch (error) {
    if (error instanceof StorageError && error.code === 'missing') return undefined;
    throw error;
  }
}
