import type { ConversationSources } from '../../hosting/info/conversation-folds.ts';
import { eventFilter } from '../../hosting/info/event-filter.ts';
import type { FeedListener } from '../../hosting/info/feed.ts';
import { fullStateText } from '../full-state.ts';
import type { Stored } from '@varve/storage';
import { transientEvents } from '../transient-events.ts';

/** Where the events of a conversation go. */
export interface FollowOptions extends ConversationSources {
  /** First position of the log that is sent. */
  readonly first: number;
  readonly send: (event: string) => void;
  /** Ends it: what the log contains by then is still sent. */
  readonly stop: AbortSignal;
}

const isSent = eventFilter({});

/** Sends the events of a conversation, those that are not stored included, until it is stopped or removed. */
export async function followConversation(id: string, options: FollowOptions): Promise<void> {
  const { store, folds, feed, now, first, send, stop } = options;
  const transient = transientEvents(now);
  const log = await store.read(id);
  const position = { next: first };
  const states = orderedStates(position, async () => {
    const state = await fullStateText(id, { store, folds });
    return { event: transient.fullState(state), after: await log.head() };
  });
  const receive: FeedListener = (message) => {
    if (message.kind === 'full_state') states.request(send);
    else send(transient.ofMessage(message));
  };
  using subscriptions = new DisposableStack();
  subscriptions.use(feed.subscribe(id, receive));
  const sendAll = async (events: AsyncIterable<Stored>): Promise<void> => {
    for await (const stored of events) {
      position.next = stored.seq + 1;
      if (isSent(stored)) send(stored.text);
      states.release(send);
    }
  };
  await sendAll(log.tail(first, stop));
  await sendAll(log.range(position.next));
  await states.settled();
  states.release(send);
}

interface State {
  readonly event: string;
  /** Number of stored events before it. */
  readonly after: number;
}

/** States of a conversation that wait for the events before them. */
function orderedStates(position: { readonly next: number }, read: () => Promise<State>) {
  const reading = new Set<Promise<void>>();
  let waiting: readonly State[] = [];
  const release = (send: FollowOptions['send']): void => {
    // They are in the order of their positions, unless reading one took longer.
    const due = waiting.filter(({ after }) => after <= position.next);
    for (const { event } of due) send(event);
    waiting = waiting.filter((state) => !due.includes(state));
  };
  return {
    release,
    request(send: FollowOptions['send']): void {
      const added = read()
        .then((state) => {
          waiting = [...waiting, state];
          return release(send);
        })
        // The conversation was removed.
        .catch(() => undefined)
        .finally(() => reading.delete(added));
      reading.add(added);
    },
    settled: () => Promise.all(reading),
  };
}
