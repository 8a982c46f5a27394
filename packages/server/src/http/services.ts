import type { Logger } from 'pino';
import type { Cipher } from '@varve/settings/secrets';
import type { SecretsInUse } from '../reference/private/secrets-in-use.ts';
import type { BashService } from '../workspace/bash/bash-service.ts';
import type { FileAccess } from '../workspace/files/file-access.ts';
import type { Extensions } from '../extensions/extensions.ts';
import type { ConversationSources } from '../reference/info/conversation-folds.ts';
import type { Replica } from '../replicas/replica.ts';
import type { Packages } from '../extensions/packages.ts';
import type { McpTester } from '../extensions/mcp-test.ts';
import type { Conversations } from '../hosting/conversations.ts';
import type { Activity } from './operations/activity.ts';
import type { Metrics } from './operations/metrics.ts';
import type { Readiness } from './operations/readiness.ts';
import type { Initialization } from './deferred/initialization.ts';
import type { LiveLogs } from '../streams/live-logs.ts';
import type { ServerSettings } from '../settings/server-settings.ts';
import type { Workspaces } from '../workspace/workspace-list.ts';
import type { Webhooks } from '../streams/webhooks/webhooks.ts';

/** What the routes of a server use. */
export interface Services extends ConversationSources {
  readonly logger: Logger;
  readonly conversations: Conversations;
  /** Returns the cipher of what clients send encrypted. */
  readonly cipher: () => Promise<Cipher>;
  readonly bash: BashService;
  readonly files: FileAccess;
  readonly secrets: SecretsInUse;
  readonly workspaces: Workspaces;
  /** Directory of relative paths. */
  readonly workspaceRoot: string;
  /** Home directory of the user. */
  readonly userHome: string;
  readonly streams: LiveLogs;
  readonly extensions: Extensions;
  readonly mcpTest: McpTester;
  readonly webhooks: Webhooks;
  /** Absent in a server without others on its store. */
  readonly replica?: Replica | undefined;
  /** Absent for a server without a data directory. */
  readonly packages?: Packages | undefined;
  /** Absent for a server without a data directory. */
  readonly settings?: ServerSettings | undefined;
  readonly activity: Activity;
  readonly initialization: Initialization;
  readonly metrics: Metrics;
  readonly readiness: Readiness;
  /** UTC milliseconds. */
  readonly startedAt: number;
}
