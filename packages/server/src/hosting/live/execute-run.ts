import type { Conversation, GoalLoop, RunOptions } from '@varve/agent';
import type { Delta } from '@varve/llm';
import { StorageError } from '@varve/storage';
import type { FeedMessage } from '../info/feed.ts';
import type { ActiveRun, RunSlot } from './run-slot.ts';

/** Parts of a live conversation that its runs use. */
export interface RunParts {
  readonly conversation: Conversation;
  readonly slot: RunSlot;
  readonly publish: (message: FeedMessage) => void;
  /** True if runs that a failure of the store ended are continued. */
  readonly isReplica: boolean;
  /** Returns true if clients asked for pieces of replies. */
  readonly isStreaming: () => boolean;
  /** Writes the title if the first message is stored. */
  readonly writeTitle: () => void;
  /** Receives a failure of a run that its result does not contain: a bug, or a store that failed. */
  readonly onFailure: (error: unknown) => void;
}

/** Stores that a run is requested, and queues it. */
export async function requestRun(parts: RunParts): Promise<void> {
  const { conversation, slot } = parts;
  await slot.begin(
    (run) => execute(run, (options) => conversation.run(options), parts),
    () => conversation.markRun('requested'),
  );
}

/** Lets the active run continue with what was stored, or requests one. */
export async function continueOrRequestRun(parts: RunParts): Promise<void> {
  const { run } = parts.slot;
  if (run) run.isWantedAgain = true;
  else await requestRun(parts);
}

/** Stores that a goal is requested, and queues its loop. */
export async function requestLoop(request: () => Promise<GoalLoop>, parts: RunParts): Promise<void> {
  let loop: GoalLoop | undefined;
  await parts.slot.begin(
    (active) => execute(active, async (run) => loop?.({ run }), parts),
    async () => {
      loop = await request();
    },
  );
}

/** Pauses a conversation whose run has not started. */
export async function pauseNow({ conversation, slot, publish }: RunParts): Promise<void> {
  slot.cancel();
  await conversation.goal.stop();
  await conversation.markRun('paused');
  publish({ kind: 'full_state' });
}

/** Executes a run, or a loop of runs, and again while messages want to be answered. It reports failures. */
async function execute(
  run: ActiveRun,
  work: (options: RunOptions) => Promise<unknown>,
  { conversation, publish, isReplica, isStreaming, writeTitle, onFailure }: RunParts,
): Promise<void> {
  writeTitle();
  const onDelta = (delta: Delta): void => publishDelta(delta, publish);
  const options = (): RunOptions => (isStreaming() ? { onDelta } : {});
  try {
    run.isWantedAgain = false;
    await work(options());
    while (run.isWantedAgain && !run.isHandedOver) {
      run.isWantedAgain = false;
      await conversation.run(options());
    }
  } catch (error) {
    onFailure(error);
    if (!isReplica || !isOutage(error)) await markFailed(error, conversation).catch(onFailure);
  }
  // The message of a goal is stored by its loop.
  writeTitle();
}

/** Returns true for a store that may work again later. */
function isOutage(error: unknown): boolean {
  return error instanceof StorageError && error.isRetryable;
}

/** Stores a failure, so that the conversation is not continued after a restart; a lost or broken store keeps it. */
async function markFailed(error: unknown, conversation: Conversation): Promise<void> {
  const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) };
  await conversation.markRun({ code: name, detail: message });
}

/** Publishes a piece of text, which the model has masked. Clients receive no pieces of calls. */
function publishDelta(delta: Delta, publish: RunParts['publish']): void {
  if (delta.kind === 'text') publish({ kind: 'delta', content: delta.text });
  if (delta.kind === 'reasoning') publish({ kind: 'delta', reasoning_content: delta.text });
}
