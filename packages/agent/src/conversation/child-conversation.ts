import { StorageError, type EventStore } from '@varve/storage';
import type { ConversationOptions, CreateOptions, OpenOptions } from './conversation-options.ts';
import { AgentError } from '../error.ts';
import { withoutUndefined } from '../without-undefined.ts';
import { OpenConversation } from './open-conversation.ts';
import { inheritPolicies } from './resume-agent.ts';

/** How a conversation that works for another differs from that one. */
export interface ChildOptions
  extends
    Partial<Pick<CreateOptions, 'id' | 'agent' | 'secrets' | 'workspace' | 'clientTools'>>,
    Pick<OpenOptions, 'missingTools'> {}

/**
 * Makes a conversation that works for another, in the same store and workspace and with the same agent unless the options
 * say otherwise; or takes up the one of that id. Its secrets are hidden besides those of the other. Policies that its agent
 * was given none of are those of the other's.
 *
 * @throws {AgentError} `invalid` when there is a conversation of that id that does not work for this one.
 */
export async function childConversation(
  { session }: OpenConversation,
  { store, secrets = [], kinds, now, timeout, newId }: ConversationOptions,
  child: ChildOptions & { readonly id: string },
): Promise<{ readonly open: OpenConversation; readonly options: ConversationOptions }> {
  const { conversationId: parent } = session;
  const { id, clientTools = [] } = child;
  const agent = inheritPolicies(child.agent ?? session.agent, session.agent);
  const hidden = [...secrets, ...(child.secrets ?? [])];
  // Where the other works and what its client carries out is its own.
  const options: ConversationOptions = {
    agent,
    store,
    secrets: hidden,
    ...withoutUndefined({ kinds, now, timeout, newId }),
  };
  const making = { ...options, ...withoutUndefined({ workspace: child.workspace }), clientTools, id };
  const meta = await metaOf(id, store);
  if (meta === undefined) {
    return { open: await OpenConversation.create({ workspace: session.workspace, ...making, parent }), options };
  }
  if (meta.parent !== parent) {
    throw new AgentError('invalid', `Conversation ${id} does not work for conversation ${parent}.`);
  }
  const { missingTools = 'refuse' } = child;
  return { open: await OpenConversation.open({ ...making, missingTools }), options };
}

async function metaOf(id: string, store: EventStore): Promise<{ readonly parent?: unknown } | undefined> {
  try {
    const { meta } = await store.summary(id);
    return typeof meta === 'object' && meta !== null && 'parent' in meta ? meta : {};
  } catch (error) {
    if (error instanceof StorageError && error.code === 'missing') return undefined;
    throw error;
  }
}
