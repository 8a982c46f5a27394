import type { ConversationSources } from '../../hosting/info/conversation-folds.ts';
import { readInfo } from '../../hosting/info/info-of.ts';
import { unlessMissing } from '../../error.ts';
import { followConversation } from './follow-conversation.ts';
import type { WebhookOptions } from './webhook-options.ts';
import { WebhookQueue, type QueueContext } from './webhook-queue.ts';

/** Sends events and changes of conversations to the receivers of a server. Nothing of it fails a request. */
export interface Webhooks {
  /** Sends the events of a conversation from now on; those of a new one from its first. Idempotent. */
  watch(id: string, from: 'start' | 'now'): Promise<void>;
  /** Sends the info of a conversation, with another status if given. */
  notify(id: string, status?: string): Promise<void>;
  /** Sends what is stored of a conversation, and nothing after that. A receiver that fails is not waited for. */
  unwatch(id: string): Promise<void>;
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
  readonly stop: AbortController;
  /** Resolves when all events are in the queues. */
  readonly followed: Promise<void>;
}

/** Creates the webhooks of a server. Events that are stored before a conversation is watched are not sent. */
export function webhooks({ webhooks: receivers, key, context, ...sources }: WebhooksOptions): Webhooks {
  const { store, folds } = sources;
  const watchers = new Map<string, Watcher>();
  /** One queue per receiver; they stay until they are empty. */
  const queues = new Map<string, readonly WebhookQueue[]>();
  const queueOf = (path: string, content: 'events' | 'documents') => (receiver: WebhookOptions) => {
    const headers = { ...receiver.headers, 'X-Session-API-Key': key };
    return new WebhookQueue(`${receiver.base_url}/${path}`, receiver, { headers, context, content });
  };
  const changes = receivers.map(queueOf('conversations', 'documents'));
  const follow = async (id: string, first: number, stop: AbortSignal): Promise<void> => {
    const receiverQueues = queues.get(id) ?? receivers.map(queueOf(`events/${id}`, 'events'));
    queues.set(id, receiverQueues);
    const send = (event: string): void => receiverQueues.forEach((queue) => queue.add(event));
    try {
      await followConversation(id, { ...sources, first, send, stop });
    } catch (error) {
      // A conversation may be removed while it is read.
      if (!stop.aborted) context.onFailure(error);
    }
  };
  const end = async ({ stop, followed }: Watcher): Promise<void> => {
    stop.abort();
    await followed;
  };
  const removeEmpty = async (id: string): Promise<void> => {
    await Promise.all((queues.get(id) ?? []).map((queue) => queue.flush()));
    for (const [each, receiverQueues] of queues)
      if (!watchers.has(each) && receiverQueues.every((queue) => queue.isEmpty)) queues.delete(each);
  };
  return {
    async watch(id, from) {
      if (receivers.length === 0 || watchers.has(id)) return;
      const first = from === 'start' ? 0 : await (await store.read(id)).head();
      const stop = new AbortController();
      watchers.set(id, { stop, followed: follow(id, first, stop.signal) });
    },
    async notify(id, status) {
      if (receivers.length === 0) return;
      const summary = await unlessMissing(store.summary(id));
      if (!summary) return;
      const info = await readInfo(summary, { store, folds }, { includeSkills: false });
      const body = JSON.stringify(status === undefined ? info : { ...info, execution_status: status });
      for (const queue of changes) queue.add(body);
    },
    async unwatch(id) {
      const watcher = watchers.get(id);
      watchers.delete(id);
      if (!watcher) return;
      await end(watcher);
      void removeEmpty(id);
    },
    async close(signal) {
      const open = [...watchers.values()];
      watchers.clear();
      await Promise.all(open.map(end));
      await Promise.all([...changes, ...[...queues.values()].flat()].map((queue) => queue.close(signal)));
    },
  };
}
