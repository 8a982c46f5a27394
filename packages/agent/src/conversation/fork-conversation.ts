import { eventCodec, type Json } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import { isTakenOver, type EventLog } from '@varve/storage';
import { withoutUndefined } from '@varve/text';
import { AgentError } from '../error.ts';
import { readMeta } from '../log/conversation-meta.ts';
import { conversationTimeline } from '../log/conversation-state.ts';
import { forkDraft, type Draft } from '../log/drafts.ts';
import { Journal } from '../log/journal.ts';
import { metaWith, settingsOf } from '../log/settings.ts';
import type { Session } from '../agent/session.ts';
import type { ConversationOptions, CreateOptions, OpenOptions } from './conversation-options.ts';
import { directory, maskOf, openSession, type OpenedSession } from './open-session.ts';
import { inheritPolicies } from './resume-agent.ts';

/** Options of a fork that differ from its origin's. */
export interface ForkOptions
  extends Partial<Pick<CreateOptions, 'id' | 'agent' | 'secrets' | 'workspace'>>, Pick<OpenOptions, 'missingTools'> {
  /** Id of the last event to copy, on any branch; default the end of the active branch. */
  readonly at?: string;
}

/**
 * Creates a conversation from the beginning of another: the same events under the same ids, up to one of them.
 * Inherited cost is not counted again, calls that are open there are answered, and the status is `idle`. Workspace
 * (which is not copied), agent and secrets are the origin's unless the options differ; the model reads about another
 * workspace.
 *
 * @throws {AgentError} `invalid` when there is no such event, or nothing can follow it.
 * @see software-agent-sdk fork (which loses policy, secrets and hooks)
 */
export async function forkSession(
  origin: Session,
  base: ConversationOptions,
  { at, id, ...changed }: ForkOptions & { readonly id: string },
): Promise<OpenedSession> {
  const { log, journal } = origin;
  const { head, leafId } = await journal.catchUp();
  const leaf = at ?? leafId;
  const seq = leaf === undefined ? undefined : await log.seqOf(leaf);
  if (at !== undefined && seq === undefined) {
    throw new AgentError('invalid', `There is no event ${at} in conversation ${log.id}.`);
  }
  const end = at === undefined ? head : (seq ?? 0) + 1;
  const options = { ...base, ...changed, agent: inheritPolicies(changed.agent ?? origin.agent, origin.agent), id };
  const workspace = await directory(changed.workspace ?? origin.workspace);
  const { clientTools } = origin;
  const settings = settingsOf({ agent: options.agent, workspace, clientTools, mask: maskOf(options) });
  const { owner, meta: before } = await base.store.summary(log.id);
  const { title } = readMeta(before);
  const meta = metaWith(settings, { status: 'idle', title });
  const fork = { of: log.id, events: end, ...(leaf !== undefined && { leaf }), settings, at: origin.now() };
  // Until its first event is stored, nothing else shows that the log is to be a fork.
  const copy = await base.store.create(id, { ...meta, fork: { of: log.id, events: end } }, { owner });
  try {
    await beginFork(copy, forkDraft(fork), { ...options, meta });
    // The first event contains its client tools.
    return await openSession({ ...options, clientTools: [], workspace });
  } catch (error) {
    if (!isTakenOver(error)) await base.store.remove(id).catch(() => undefined);
    throw error;
  }
}

/** Stores the first event of a fork: a process that opens the log then completes it. Releases the lease. */
async function beginFork(
  copy: EventLog,
  draft: Draft,
  { agent, meta, now = Date.now, newId }: ConversationOptions & { readonly meta: Json },
): Promise<void> {
  await using log = copy;
  const codec = eventCodec(builtinKinds);
  const journal = new Journal({
    log,
    codec,
    timeline: conversationTimeline(codec),
    // The settings are masked.
    mask: (value) => value,
    metaOf: () => meta,
    now,
    ...withoutUndefined({ newId, signer: agent.signingKey }),
  });
  await journal.emit([draft]);
}
