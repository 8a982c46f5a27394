import type { PendingCall } from '@varve/events/projections';
import type { ConversationState } from '../log/conversation-state.ts';

/** Child conversation whose calls wait for approval, for the person who watches the run of its parent. */
export interface WaitingChild {
  readonly taskId: string;
  /** Name of the sub-agent. */
  readonly subAgent: string;
  readonly conversation: {
    readonly id: string;
    readonly workspace: string;
    readonly state: ConversationState;
    digestOf(calls?: readonly PendingCall[]): string;
    startDirectories(): ReadonlyMap<string, readonly string[]>;
    approve(approval?: {
      readonly actionIds?: readonly string[];
      readonly digest?: string;
      readonly by?: string;
    }): Promise<void>;
    reject(reason: string, options?: { readonly actionIds?: readonly string[] }): Promise<void>;
  };
}

/**
 * Approves or rejects the calls of a child. The child continues when it did; otherwise its task ends, and the calls
 * wait until a person decides about them and the task is resumed.
 */
export type AnswerWaitingChild = (child: WaitingChild) => Promise<void>;
