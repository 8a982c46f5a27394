import { AgentError } from '@varve/agent';
import type { BaseEvent, Json } from '@varve/events';
import { runFact } from '@varve/events/facts';
import { parseJson } from '@varve/text';
import { StorageError, type LogReader, type EventStore, type Summary } from '@varve/storage';
import { unlessMissing } from '@varve/storage/kit';
import { HostError } from '../error.ts';
import type { HostedConversation } from '../live/hosted-conversation.ts';
import type { OpenConversation, OpenConversations } from './open-conversations.ts';

/** Options of {@link recoverRuns}. */
export interface RecoverOptions {
  readonly store: Pick<EventStore, 'read'>;
  readonly use: OpenConversations<OpenConversation>['use'];
  /** Called when a run is continued that had begun. */
  readonly onContinued?: () => void;
  readonly onFailure: (error: unknown, conversationId: string) => void;
}

/**
 * Continues runs that a crash of the server ended: what was running or waited for its turn continues, and what
 * waited for a person still waits. Conversations that the server did not create are left to their owners, and so are
 * those that another process holds. A run whose processes ended again and again gets an error that a person reads.
 */
export async function recoverRuns(ids: AsyncGenerator<string>, options: RecoverOptions): Promise<void> {
  const { store, use, onContinued, onFailure } = options;
  const lane = async (): Promise<void> => {
    for await (const id of ids) {
      try {
        await use(id, async ({ isResumable, hosted }) => {
          if (!isResumable) return;
          const { cut, hasBegun } = await losses(await store.read(id));
          await (cut > maxContinuations ? giveUp(hosted) : hosted.runs.resume());
          if (hasBegun && hosted.runs.isActive) onContinued?.();
        });
      } catch (error) {
        // Leaving the loop ends the listing for all lanes.
        if (error instanceof HostError && error.code === 'stopping') return;
        onFailure(error, id);
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** Conversations that are opened at a time: a server of tools may take half a minute to start or to fail. */
const lanes = 8;

/** Number of times that a run is continued of which no call gets a result: it may be the reason for the crashes. */
const maxContinuations = 3;

/** Number of events at the end of a log that are searched for runs without an end. */
const searchedEvents = 200;

type StateUpdate = BaseEvent & { readonly key?: Json };

/** Runs of a log without an end. */
interface Losses {
  /** Number of those since a message was stored, a call got its result, or a run ended. */
  readonly cut: number;
  /** True if the last run had begun; false for one that is only requested. */
  readonly hasBegun: boolean;
}

async function losses(log: LogReader): Promise<Losses> {
  const from = Math.max(0, (await log.head()) - searchedEvents);
  let cut = 0;
  let hasBegun = from > 0;
  for await (const { kind, text } of log.range(from)) {
    if (kind === 'MessageEvent' || kind === 'ObservationEvent') cut = 0;
    const event = kind === 'ConversationStateUpdateEvent' ? (parseJson(text) as StateUpdate | undefined) : undefined;
    if (event === undefined) continue;
    // The status becomes `running` with the request.
    if (event.key === 'execution_status') hasBegun = false;
    const run = runFact.read(event);
    if (!run) continue;
    hasBegun = true;
    cut = run.state === 'begun' ? cut + 1 : 0;
  }
  return { cut, hasBegun };
}

/** Stores why a run is not continued. */
async function giveUp({ conversation }: HostedConversation): Promise<void> {
  const detail = `The process of this run ended ${maxContinuations + 1} times before a call of it had a result, so it is not continued.`;
  await conversation.goal.stop();
  await conversation.markRun({ code: 'ProcessEnded', detail });
}

/** Yields the conversations of a store that run and that a host created, except those that another replica holds. */
export async function* runningIds(store: EventStore, isHosted: AbandonedOptions['isHosted']): AsyncGenerator<string> {
  let after: string | undefined;
  do {
    const page = await store.list({ limit: 1000, ...(after !== undefined && { after }) });
    for (const summary of page.items) {
      const { id, meta } = summary;
      if (!isRunning(meta) || !(await isHosted(summary))) continue;
      if ((await store.replicas?.addressOf(id)) === undefined) yield id;
    }
    after = page.next;
  } while (after !== undefined);
}

/** Options of {@link abandonedRuns}. */
export interface AbandonedOptions {
  readonly store: EventStore;
  /** Returns true for a conversation that a host created. */
  readonly isHosted: (summary: Summary) => Promise<boolean>;
  /** Returns true if a run could start now. */
  readonly hasRoom: () => boolean;
  /** Receives a conversation that no host created. */
  readonly onForeign: (id: string) => void;
}

/**
 * Yields those of these conversations that run and that a server created, and releases those that do not run. It ends
 * when there is no room: other replicas may have some.
 */
export async function* abandonedRuns(
  ids: readonly string[],
  { store, isHosted, hasRoom, onForeign }: AbandonedOptions,
): AsyncGenerator<string> {
  for (const id of ids) {
    if (!hasRoom()) return;
    const summary = await unlessMissing(store.summary(id));
    if (!summary) continue;
    if (!(await isHosted(summary))) onForeign(id);
    else if (!isRunning(summary.meta)) await store.replicas?.release(id);
    else if (hasRoom()) yield id;
  }
}

/** A goal is pursued between its runs, too. */
function isRunning(meta: Json): boolean {
  if (typeof meta !== 'object' || meta === null) return false;
  return ('status' in meta && meta['status'] === 'running') || ('goal' in meta && meta['goal'] === 'running');
}

/** The conversation was removed or closed, or belongs to another process. */
export function isOwned(error: unknown): boolean {
  if (error instanceof StorageError) return ['missing', 'held', 'fenced'].includes(error.code);
  return error instanceof AgentError && ['taken-over', 'busy', 'closed'].includes(error.code);
}
