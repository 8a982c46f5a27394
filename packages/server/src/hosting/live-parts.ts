import type { Conversation } from '@varve/agent';
import type { PermissionRule } from '@varve/agent/confirmation';
import type { AgentRegistries } from '@varve/agent/specs';
import type { Json } from '@varve/events';
import type { Configuration } from './info/configuration-fact.ts';
import type { FeedMessage } from './info/feed.ts';
import type { TitleModel } from '../settings/title-model.ts';
import type { PrivateValues } from './private/private-values.ts';
import type { RunQueue } from './run-queue.ts';

/** JSON of a confirmation policy, and of the analyzer next to it. */
export interface Confirmation {
  readonly policy: Json;
  readonly analyzer: Json;
}

/** Parts of a live conversation. */
export interface LiveParts {
  /** Closed with the live conversation. */
  readonly conversation: Conversation;
  /** Walls around the commands of the agent, closed after the conversation. */
  readonly walls: Disposable;
  readonly privateValues: PrivateValues;
  readonly registries: AgentRegistries;
  /** Rules of the person for calls. */
  readonly rules?: readonly PermissionRule[] | undefined;
  readonly queue: RunQueue;
  /** Absent for a conversation that another program created. */
  readonly configuration?: Configuration | undefined;
  readonly confirmation: Confirmation;
  readonly titleModel: TitleModel;
  readonly publish: (message: FeedMessage) => void;
  /** Receives a failure of a run that its result does not contain: a bug, or a store that failed. */
  readonly onFailure: (error: unknown) => void;
}
