import { eventFilter } from '../events/event-filter.ts';
import type { FeedListener } from '../feed/feed.ts';
import type { ConversationSources } from '../conversation-sources.ts';
import { fullStateText } from '../streams/full-state.ts';
import { transientEvents } from '../streams/transient-events.ts';
import { conversationInfoOf } from '../info/info-of.ts';
import { unlessMissing } from '../unless-missing.ts';
import type { WebhookOptions } from './webhook-options.ts';
import { WebhookQueue, type QueueContext } from './webhook-queue.ts';

/** Sends events and changes of conversations to the receivers of a server. Nothing of it fails a request. */
export interface Webhooks {
  /** Sends the events of a conversation from now on; those of a new one from its first. Idempotent. */
  watch(id: string, from: 'start' | 'now'): Promise<void>;
  /** Sends the info of a conversation, with another status if given. */
  notify(id: string, status?: string): Promise<void>;
  /** Stops the events of a conversation. */
  unwatch(id: string): void;
  /** Sends what waits; the signal ends that. */
  close(signal: AbortSignal): Promise<void>;
}

/** Options of {@link webhooks}. */
export interface WebhooksOptions extends ConversationSources {
  readonly webhooks: readonly WebhookOptions[];
  /** Key of the server, by which receivers recognize it. */
  readonly key: string;
  readonly context: QueueContext;
}

interface Watcher {
  readonly queues: readonly WebhookQueue[];
  readonly stop: AbortController;
}

const isSent = eventFilter({});

/** Creates the webhooks of a server. Events that are stored before a conversation is watched are not sent. */
export function webhooks({ webhooks: receivers, key, context, store, folds, feed, now }: WebhooksOptions): Webhooks {
  const watchers = new Map<string, Watcher>();
  const headersOf = ({ headers }: WebhookOptions) => ({ ...headers, 'X-Session-API-Key': key });
  const queueOf = (path: string) => (receiver: WebhookOptions) =>
    new WebhookQueue(`${receiver.base_url}/${path}`, receiver, { headers: headersOf(receiver), context });
  const changes = receivers.map(queueOf('conversations'));
  const transient = transientEvents(now);
  const follow = async (id: string, first: number, { queues, stop }: Watcher): Promise<void> => {
    const send = (event: string): void => queues.forEach((queue) => queue.add(event));
    using subscriptions = new DisposableStack();
    const receive: FeedListener = (message) => {
      if (message.kind !== 'full_state') send(transient.ofMessage(message));
      else
        void fullStateText(id, { store, folds }).then(
          (state) => send(transient.fullState(state)),
          () => undefined,
        );
    };
    subscriptions.use(feed.subscribe(id, receive));
    try {
      const log = await store.read(id);
      for await (const stored of log.tail(first, stop.signal)) if (isSent(stored)) send(stored.text);
    } catch (error) {
      // A conversation may be removed while it is read.
      if (!stop.signal.aborted) context.onFailure(error);
    }
  };
  return {
    async watch(id, from) {
      if (receivers.length === 0 || watchers.has(id)) return;
      const watcher = { queues: receivers.map(queueOf(`events/${id}`)), stop: new AbortController() };
      watchers.set(id, watcher);
      const first = from === 'start' ? 0 : await (await store.read(id)).head();
      void follow(id, first, watcher);
    },
    async notify(id, status) {
      if (receivers.length === 0) return;
      const summary = await unlessMissing(store.summary(id));
      if (!summary) return;
      const info = conversationInfoOf(summary, await folds.of(summary), { includeSkills: false });
      const body = JSON.stringify(status === undefined ? info : { ...info, execution_status: status });
      for (const [index, { base_url: url }] of receivers.entries()) changes[index]?.post(`${url}/conversations`, body);
    },
    unwatch(id) {
      watchers.get(id)?.stop.abort();
      watchers.delete(id);
    },
    async close(signal) {
      const open = [...watchers.values()];
      for (const { stop } of open) stop.abort();
      watchers.clear();
      const queues = [...changes, ...open.flatMap((watcher) => watcher.queues)];
      await Promise.all(queues.map((queue) => queue.close(signal)));
    },
  };
}
