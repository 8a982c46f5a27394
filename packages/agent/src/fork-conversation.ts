import { resolve } from 'node:path';
import type { Json } from '@varve/events';
import type { CreateOptions, ConversationOptions, OpenOptions } from './conversation-options.ts';
import { copyLog } from './copy-log.ts';
import { AgentError } from './error.ts';
import { moveHead } from './move-head.ts';
import { OpenConversation } from './open-conversation.ts';
import { inherit } from './take-up.ts';

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
  await session.journal.catchUp();
  const leaf = at ?? session.journal.timeline.leafId;
  const seq = leaf === undefined ? undefined : await log.seqOf(leaf);
  if (at !== undefined && seq === undefined) {
    throw new AgentError('invalid', `There is no event ${at} in conversation ${log.id}.`);
  }
  const end = at === undefined ? await log.head() : (seq ?? 0) + 1;
  const { workspace = session.workspace } = changed;
  const agent = inherit(changed.agent ?? session.agent, session.agent);
  const { meta } = await base.store.summary(log.id);
  const copy = await base.store.create(id, {
    ...(meta as Readonly<Record<string, Json>>),
    status: 'idle',
    workspace: resolve(workspace),
    agent: agent.spec,
  });
  try {
    try {
      await copyLog(log, copy, session.codec, end);
    } finally {
      await copy[Symbol.asyncDispose]();
    }
    const fork = await OpenConversation.open({ ...base, ...changed, workspace, agent, id });
    await settled(fork, leaf);
    return fork;
  } catch (error) {
    await base.store.remove(id).catch(() => undefined);
    throw error;
  }
}

/** Ends what the original was at, in the fork. */
async function settled(fork: OpenConversation, leaf: string | undefined): Promise<void> {
  try {
    await moveHead(leaf, fork.log, fork.session);
  } catch (error) {
    await fork[Symbol.asyncDispose]();
    throw error;
  }
}
