import { withoutUndefined } from '@varve/text';
import type { Session } from '../agent/session.ts';
import type { ConversationOptions, CreateOptions, OpenOptions } from './conversation-options.ts';
import { createSession, openSession, type OpenedSession } from './open-session.ts';
import { inheritPolicies } from './resume-agent.ts';
import { isStored } from './stored-agent.ts';

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
  { store, secrets = [], kinds, spans, now, timeout, newId }: Omit<ConversationOptions, 'agent'>,
  child: ChildOptions & { readonly id: string },
): Promise<{ readonly opened: OpenedSession; readonly options: ConversationOptions }> {
  const { id, clientTools = [], missingTools = 'refuse' } = child;
  // Workspace and client tools of the parent are not inherited by the children of this child.
  const options: ConversationOptions = {
    agent: inheritPolicies(child.agent ?? parent.agent, parent.agent),
    store,
    secrets: () => [...valuesOf(secrets), ...valuesOf(child.secrets)],
    ...withoutUndefined({ kinds, spans, now, timeout, newId }),
  };
  const childOptions = { ...options, ...withoutUndefined({ workspace: child.workspace }), clientTools, id };
  const opened = (await isStored(store, id))
    ? await openSession({ ...childOptions, missingTools }, parent)
    : await createSession({ workspace: parent.workspace, ...childOptions }, parent);
  return { opened, options };
}

function valuesOf(secrets: ConversationOptions['secrets'] = []): readonly string[] {
  return typeof secrets === 'function' ? secrets() : secrets;
}
