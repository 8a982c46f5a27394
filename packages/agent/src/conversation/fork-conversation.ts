import { resolve } from 'node:path';
import type { Json } from '@varve/events';
import { AgentError } from '../error.ts';
import type { Session } from '../session.ts';
import type { ConversationOptions, CreateOptions, OpenOptions } from './conversation-options.ts';
import { openSession } from './open-session.ts';
import { inheritPolicies } from './resume-agent.ts';
import type { UnfinishedFork } from './unfinished-fork.ts';

/** Options of a fork that differ from its origin's. */
export interface ForkOptions
  extends Partial<Pick<CreateOptions, 'id' | 'agent' | 'secrets' | 'workspace'>>, Pick<OpenOptions, 'missingTools'> {
  /** Id of the last event to copy, on any branch; default the end of the active branch. */
  readonly at?: string;
}

/**
 * Creates a conversation from the beginning of another: the same events under the same ids, up to one of them.
 * Inherited cost is not counted again, calls that are open there are answered, and the status is `idle`. Workspace
 * (which is not copied), agent and secrets are the origin's unless the options differ.
 *
 * @throws {AgentError} `invalid` when there is no such event, or nothing can follow it.
 * @see software-agent-sdk fork (which loses policy, secrets and hooks)
 */
export async function forkSession(
  origin: Session,
  base: ConversationOptions,
  { at, id, ...changed }: ForkOptions & { readonly id: string },
): Promise<Session> {
  const { log, journal } = origin;
  // The fork starts with the settings in the log.
  await journal.emitPreamble();
  const { head, leafId } = await journal.catchUp();
  const leaf = at ?? leafId;
  const seq = leaf === undefined ? undefined : await log.seqOf(leaf);
  if (at !== undefined && seq === undefined) {
    throw new AgentError('invalid', `There is no event ${at} in conversation ${log.id}.`);
  }
  const end = at === undefined ? head : (seq ?? 0) + 1;
  const { workspace = origin.workspace } = changed;
  const agent = inheritPolicies(changed.agent ?? origin.agent, origin.agent);
  const { meta } = await base.store.summary(log.id);
  const { importHead = 0 } = journal.timeline.read('settings');
  const mark = { of: log.id, events: end, leaf: leaf ?? null, ...(importHead > end && { imported: true }) };
  // A fork has no parent: its usage is not charged to the origin's parent.
  const { parent: _, ...copied } = meta as Readonly<Record<string, Json>>;
  const copy = await base.store.create(id, {
    ...copied,
    status: 'idle',
    workspace: resolve(workspace),
    agent: agent.spec,
    // Policy updates among the copied events no longer apply.
    policies_head: end,
    // If this process dies, the next one that opens the fork finishes it first.
    fork: mark satisfies UnfinishedFork,
  });
  await copy[Symbol.asyncDispose]();
  try {
    return await openSession({ ...base, ...changed, clientTools: origin.clientTools, workspace, agent, id });
  } catch (error) {
    await base.store.remove(id).catch(() => undefined);
    throw error;
  }
}
