import type { PendingCall } from '@varve/events/projections';
import type { ToolContext } from '@varve/tools';
import type { ConversationState } from '../log/conversation-state.ts';
import type { TaskRecord } from '../log/projections/tasks-projection.ts';

/** Call of a tool that starts tasks. Another attempt at it continues the same tasks. */
export type DelegatingCall = Pick<ToolContext, 'idempotencyKey' | 'actionId' | 'signal'>;

/** Task of a new child conversation. */
export interface NewTask {
  /** Name of the task; default a new one: `task_00000001`. */
  readonly taskId?: string;
  /** Name of the sub-agent, or one of its aliases. */
  readonly subAgent: string;
  readonly description?: string;
}

/** How a task ended, for the model. */
export interface TaskResult {
  readonly taskId: string;
  /** Name of the sub-agent. */
  readonly subAgent: string;
  readonly isCompleted: boolean;
  /** Text for the model: the answer, or the reason for another end. */
  readonly text: string;
}

/** Sub-agents of a conversation as tools use them. */
export interface SubAgentTasks {
  /** Kinds of agents that can be started; the first is the default. */
  readonly agents: readonly { readonly name: string; readonly description: string }[];
  /** Tasks of the conversation, oldest first. */
  readonly tasks: readonly TaskRecord[];
  /**
   * Stores new tasks in one append, and returns them in order. Nothing starts. A task that replaces another one with
   * its name has a new conversation.
   *
   * @throws {AgentError} `invalid` for a sub-agent that does not exist or cannot be created, and for a conversation
   * that is too far from the first one.
   */
  add(tasks: readonly NewTask[], call: DelegatingCall): Promise<readonly TaskRecord[]>;
  /**
   * Sends a prompt to the conversation of a task, unless the same call sent it before, and runs it to its end.
   *
   * @throws {AgentError} `invalid` as {@link add} does.
   */
  run(task: TaskRecord, prompt: string, call: DelegatingCall): Promise<TaskResult>;
}

/** Conversation whose calls a person can decide about. */
export interface ReviewedConversation {
  readonly id: string;
  readonly workspace: string;
  readonly state: ConversationState;
  digestOf(calls?: readonly PendingCall[]): string;
  startDirectories(): ReadonlyMap<string, readonly string[]>;
  approve(approval?: {
    readonly actionIds?: readonly string[];
    readonly digest?: string;
    readonly arguments?: Readonly<Record<string, unknown>>;
    readonly by?: string;
  }): Promise<void>;
  reject(reason: string, options?: { readonly actionIds?: readonly string[] }): Promise<void>;
}

/** Child conversation whose calls wait for approval, for the person who watches the run of its parent. */
export interface WaitingChild {
  readonly taskId: string;
  /** Name of the sub-agent. */
  readonly subAgent: string;
  readonly conversation: ReviewedConversation;
}

/**
 * Approves or rejects the calls of a child. The child continues when it did; otherwise its task ends, and the calls
 * wait until a person decides about them and the task is resumed.
 */
export type AnswerWaitingChild = (child: WaitingChild) => Promise<void>;
