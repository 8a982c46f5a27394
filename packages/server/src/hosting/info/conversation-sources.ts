import type { EventStore } from '@varve/storage';
import type { Feed } from './feed.ts';
import type { ConversationFolds } from './conversation-folds.ts';

/** Sources of what a conversation stores and reports. */
export interface ConversationSources {
  readonly store: EventStore;
  readonly folds: ConversationFolds;
  readonly feed: Feed;
  /** UTC milliseconds. */
  readonly now: () => number;
}
