import type { TaskRecord } from '../log/projections/tasks-projection.ts';

/** Call of a tool that starts tasks. */
export interface DelegatingCall {
  /** Equal for every attempt at the call, so that another attempt continues the same tasks. */
  readonly idempotencyKey: string;
  readonly actionId?: string;
  readonly signal: AbortSignal;
}

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
