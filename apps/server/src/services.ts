import type { EventStore } from '@varve/storage';
import type { BashService } from './bash/bash-service.ts';
import type { Feed } from './feed/feed.ts';
import type { ConversationFolds } from './info/conversation-folds.ts';
import type { Conversations } from './runtime/conversations.ts';
import type { LiveLogs } from './streams/live-logs.ts';
import type { ServerSettings } from './settings/server-settings.ts';

/** Services that routes use. */
export interface Services {
  readonly store: EventStore;
  readonly folds: ConversationFolds;
  readonly feed: Feed;
  readonly conversations: Conversations;
  readonly bash: BashService;
  readonly streams: LiveLogs;
  /** Absent for a server without a data directory. */
  readonly settings?: ServerSettings | undefined;
  /** UTC milliseconds. */
  readonly now: () => number;
  /** UTC milliseconds. */
  readonly startedAt: number;
}
