import type { EventStore } from '@varve/storage';
import type { ConversationFolds } from './info/conversation-folds.ts';

/** Services that routes use. */
export interface Services {
  readonly store: EventStore;
  readonly folds: ConversationFolds;
  /** UTC milliseconds. */
  readonly now: () => number;
  /** UTC milliseconds. */
  readonly startedAt: number;
}
