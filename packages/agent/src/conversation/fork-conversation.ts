import { resolve } from 'node:path';
import type { Json } from '@varve/events';
import type { CreateOptions, ConversationOptions, OpenOptions } from './conversation-options.ts';
import { AgentError } from '../error.ts';
import { OpenConversation } from './open-conversation.ts';
import { inheritPolicies } from './resume-agent.ts';
import type { UnfinishedFork } from './unfinished-fork.ts';

/** How a fork differs from where it comes from. */
export interface ForkOptions
  extends Partial<Pick<CreateOptions, 'id' | 'agent' | 'secrets' | 'workspace'>>, Pick<OpenOptions, 'missingTools'> {
  /** The id of the event it ends with, of any branch; default where the active branch ends. */
  readonly at?: string;
}

/**
 * Makes a new conversation of the beginning of another: the same events under the same ids, up to one of them. What it cost
 * is not counted again, calls that are open there are answered, and its status is `idle`. It works in the same workspace,
 * which is not copied, with the same agent and secrets, unless the options say otherwise.
 *
 * @throws {AgentError} `invalid` when there is no such event, or it is one that nothing can follow.
 * @see software-agent-sdk fork (which loses policy, secrets and hooks)
 */
export async function forkConversation(
  origin: OpenConversation,
  base: ConversationOptions,
  { at, id, ...changed }: ForkOptions & { readonly id: string },
): Promise<OpenConversation> {
  const { log, session } = origin;
  const { head, leafId } = await session.journal.catchUp();
  const leaf = at ?? leafId;
  const seq = leaf === undefined ? undefined : await log.seqOf(leaf);
  if (at !== undefined && seq === undefined) {
    throw new AgentError('invalid', `There is no event ${at} in conversation ${log.id}.`);
  }
  const end = at === undefined ? head : (seq ?? 0) + 1;
  const { workspace = session.workspace } = changed;
  const agent = inheritPolicies(changed.agent ?? session.agent, session.agent);
  const { meta } = await base.store.summary(log.id);
  const fork: UnfinishedFork = { of: log.id, events: end, leaf: leaf ?? null };
  // Whoever the original works for did not ask for this one, and is not billed for it.
  const { parent: _, ...kept } = meta as Readonly<Record<string, Json>>;
  const copy = await base.store.create(id, {
    ...kept,
    status: 'idle',
    workspace: resolve(workspace),
    agent: agent.spec,
    // Its policies are decided here: events that it copies say nothing more.
    policies_head: end,
    // Should this process die, whoever opens it finishes it first.
    fork: { ...fork },
  });
  await copy[Symbol.asyncDispose]();
  try {
    // Its client tools are kept beside the log, masked as they were with the secrets of then.
    return await OpenConversation.open({ ...base, ...changed, clientTools: [], workspace, agent, id });
  } catch (error) {
    await base.store.remove(id).catch(() => undefined);
    throw error;
  }
}
