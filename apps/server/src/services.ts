import type { EventStore } from '@varve/storage';
import type { Feed } from './feed/feed.ts';
import type { ConversationFolds } from './info/conversation-folds.ts';

/** Services that routes use. */
export interface Services {
  readonly store: EventStore;
  readonly folds: ConversationFolds;
  readonly feed: Feed;
  /** UTC milliseconds. */
  readonly now: () => number;
  /** UTC milliseconds. */
  readonly startedAt: number;
}
