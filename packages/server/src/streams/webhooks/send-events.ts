import { once } from 'node:events';
import { StorageError } from '@varve/storage';
import { eventFilter } from '../../reference/info/event-filter.ts';
import { followLog, type Sink } from '../follow-log.ts';
import type { LiveLogs } from '../live-logs.ts';
import type { WebhookQueue } from './webhook-queue.ts';

/** Options of {@link sendEvents}. */
export interface SendOptions {
  readonly streams: LiveLogs;
  /** Seq of the first event. */
  readonly first: number;
  /** Aborts when nothing that is stored later is sent. */
  readonly stop: AbortSignal;
  readonly onFailure: (error: unknown) => void;
}

/** Transmission of the events of a conversation to all receivers. */
export interface Transmission {
  /** Aborts when nothing that is stored later is sent. */
  readonly stop: AbortController;
  /** Aborts when nothing more is sent. */
  readonly halt: AbortController;
  /** Resolves when the queues contain what is stored, as far as they have room. */
  readonly followed: Promise<unknown>;
  /** Resolves at the end: to true if every receiver has received everything that is stored. */
  readonly isComplete: Promise<boolean>;
}

const isSent = eventFilter({});

/** Sends the events of a conversation to receivers, to each from its first one. */
export function sendToAll(
  id: string,
  receivers: readonly { readonly queue: WebhookQueue; readonly first: number }[],
  options: Pick<SendOptions, 'streams' | 'onFailure'>,
): Transmission {
  const [stop, halt] = [new AbortController(), new AbortController()];
  const following = receivers.map(({ queue, first }) => {
    const followed = sendEvents(id, queue, { ...options, first, stop: stop.signal });
    const isComplete = followed.then(async (isWhole) => {
      await queue.close(halt.signal);
      return isWhole && queue.isEmpty;
    });
    return { followed, isComplete };
  });
  return {
    stop,
    halt,
    followed: Promise.all(following.map(({ followed }) => followed)),
    isComplete: Promise.all(following.map(({ isComplete }) => isComplete)).then((all) => all.every(Boolean)),
  };
}

/**
 * Adds the events of a conversation to a queue, those that are not stored included, until it is stopped. Stored events
 * wait in the log while the queue is full. Resolves to false if some remain there.
 */
export async function sendEvents(id: string, queue: WebhookQueue, options: SendOptions): Promise<boolean> {
  try {
    return await follow(id, queue, options);
  } catch (error) {
    const isLost = error instanceof StorageError && ['missing', 'incomplete', 'corrupt'].includes(error.code);
    // A conversation may be removed while it is read.
    if (!isLost || error.code !== 'missing') options.onFailure(error);
    return isLost;
  }
}

async function follow(id: string, queue: WebhookQueue, { streams, first, stop }: SendOptions): Promise<boolean> {
  using use = await streams.use(id);
  const { log } = use;
  const isLive = !stop.aborted;
  let next = first;
  while (!stop.aborted) {
    const closing = new AbortController();
    const closed = AbortSignal.any([closing.signal, stop]);
    const failures: unknown[] = [];
    const sink: Sink = {
      closed,
      send({ seq, plain }) {
        if (plain === undefined || closed.aborted) return;
        // It is read from the log when there is room.
        if (seq !== undefined && queue.isFull) return closing.abort();
        if (seq !== undefined) next = seq + 1;
        queue.add(plain.toString(), seq === undefined ? undefined : next);
      },
      drained: () => queue.room(stop),
      fail(error) {
        failures.push(error);
        closing.abort();
      },
    };
    await followLog(log, sink, { history: 'after', seq: next - 1 });
    if (!closed.aborted) await once(closed, 'abort');
    if (failures.length > 0) throw failures[0];
    await queue.room(stop);
  }
  for await (const stored of log.reader.range(next)) {
    if (queue.isFull) return false;
    if (isSent(stored)) queue.add(stored.text, stored.seq + 1);
  }
  if (isLive) queue.add(String((await log.snapshot()).plain));
  return true;
}
