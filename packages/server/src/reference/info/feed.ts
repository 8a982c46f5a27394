/** Part of a reply that is still being generated, masked by its publisher. Fields of `StreamingDeltaEvent`. */
export interface DeltaMessage {
  readonly kind: 'delta';
  readonly content?: string;
  readonly reasoning_content?: string;
}

/** Request to send subscribers the whole state, which they read after every event that is stored now. */
export interface FullStateMessage {
  readonly kind: 'full_state';
}

/** Failure of the server that no event of the log describes. Fields of `ServerErrorEvent`, without secrets. */
export interface ServerErrorMessage {
  readonly kind: 'server_error';
  readonly code: string;
  readonly detail: string;
}

/** Message for the subscribers of a conversation that is not in its log. */
export type FeedMessage = DeltaMessage | FullStateMessage | ServerErrorMessage;

/** Receives messages. It may publish, subscribe and unsubscribe; it must not throw. */
export type FeedListener = (message: FeedMessage) => void;

/**
 * Process-local messages of conversations, by their hex id. Events reach subscribers through the log, not through
 * this feed.
 */
export interface Feed {
  /** Calls the listeners of a conversation, in the order of their subscription, before it returns. */
  publish(conversationId: string, message: FeedMessage): void;
  /** Calls the listener for each later message of the conversation until the subscription is disposed. */
  subscribe(conversationId: string, listener: FeedListener): Disposable;
}

/** Creates a feed without subscribers. */
export function createFeed(): Feed {
  const listeners = new Map<string, Set<{ readonly listener: FeedListener }>>();
  return {
    publish(conversationId, message) {
      // Listeners that a listener adds receive only later messages.
      for (const entry of Array.from(listeners.get(conversationId) ?? [])) {
        if (listeners.get(conversationId)?.has(entry)) entry.listener(message);
      }
    },
    subscribe(conversationId, listener) {
      const entry = { listener };
      const entries = listeners.get(conversationId) ?? new Set();
      listeners.set(conversationId, entries.add(entry));
      return {
        [Symbol.dispose]() {
          entries.delete(entry);
          if (entries.size === 0 && listeners.get(conversationId) === entries) listeners.delete(conversationId);
        },
      };
    },
  };
}
