import { taskFact } from '@varve/events/facts';
import { SpecError } from '@varve/events/specs';
import type { Tool } from '@varve/tools';
import type { Agent, SubAgent } from '../agent/agent.ts';
import type { DelegatingCall, NewTask, SubAgentTasks, AnswerWaitingChild } from '../agent/sub-agent-tasks.ts';
import { AgentError } from '../error.ts';
import { digestOf } from '../log/digest.ts';
import type { Draft } from '../log/drafts.ts';
import type { Session } from '../agent/session.ts';
import { withTools } from './derived-agent.ts';
import { runTask, type OpenChild, type TaskEnd, type TaskOrder } from './run-task.ts';
import { findSubAgent } from './definitions/sub-agent-definition.ts';
import type { TaskRecord } from '../log/projections/tasks-projection.ts';

/** Step of a composition. */
export interface StepOrder {
  /** Name of the task, equal for every attempt. */
  readonly taskId: string;
  readonly subAgent: SubAgent;
  readonly prompt: string;
  /** Makes tools in addition to those of the sub-agent. */
  readonly tools: readonly (() => Tool)[];
}

/** Conversation whose tasks these are. */
interface DelegationHost {
  readonly session: Session;
  /** Number of its ancestors. */
  readonly depth: number;
  readonly open: OpenChild;
}

/** Maximum number of generations below a conversation without a parent. */
const maxDepth = 3;

/**
 * Sub-agents of one conversation, for the tools that start them. Every task is a child conversation with a log of its
 * own, which the log of the conversation names before it starts. Ids are derived from the call, so that a call that is
 * executed again, after a crash, continues the same tasks.
 */
export class Delegation implements SubAgentTasks {
  readonly agents: readonly SubAgent[];
  #host: DelegationHost | undefined;

  constructor(agents: readonly SubAgent[]) {
    this.agents = agents;
  }

  /** Sets the conversation, once it exists. */
  bind(host: DelegationHost): void {
    this.#host = host;
  }

  /** Sets what asks a person about calls of children. */
  set onChildWaiting(answer: AnswerWaitingChild | undefined) {
    this.#bound.session.onChildWaiting = answer;
  }

  /** Number of ancestors of the conversation. */
  get depth(): number {
    return this.#bound.depth;
  }

  get conversationId(): string {
    return this.#bound.session.conversationId;
  }

  get tasks(): readonly TaskRecord[] {
    return this.#bound.session.journal.timeline.read('tasks');
  }

  async add(tasks: readonly NewTask[], call: DelegatingCall): Promise<readonly TaskRecord[]> {
    const named = tasks.map((task) => ({ ...task, subAgent: this.#subAgent(task.subAgent) }));
    for (const { subAgent } of named) this.#agentOf(subAgent);
    return this.#store(
      named.map((task) => ({ ...task, subAgent: task.subAgent.name })),
      call,
    );
  }

  async run(task: TaskRecord, prompt: string, call: DelegatingCall): Promise<TaskEnd> {
    const subAgent = this.#subAgent(task.subAgent);
    const agent = this.#agentOf(subAgent);
    return this.#run(task, { agent, prompt, limits: subAgent.limits ?? {} }, call);
  }

  /** Runs a step of a composition, or continues it. A sub-agent that cannot be created is an end too. */
  async runStep({ taskId, subAgent, prompt, tools }: StepOrder, call: DelegatingCall): Promise<TaskEnd> {
    try {
      const agent = withTools(this.#agentOf(subAgent), tools);
      const [task] = await this.#store([{ taskId, subAgent: subAgent.name }], call);
      if (!task) throw new Error('A task was stored and is not there.');
      return await this.#run(task, { agent, prompt, limits: subAgent.limits ?? {} }, call);
    } catch (error) {
      if (!(error instanceof AgentError)) throw error;
      return { taskId, subAgent: subAgent.name, isCompleted: false, text: error.message };
    }
  }

  #run(
    task: TaskRecord,
    order: Pick<TaskOrder, 'agent' | 'prompt' | 'limits'>,
    { idempotencyKey, signal }: DelegatingCall,
  ): Promise<TaskEnd> {
    const { open, session } = this.#bound;
    const { onChildWaiting } = session;
    return runTask(
      { ...task, ...order, messageId: messageId(idempotencyKey, task.taskId) },
      { open, signal, ...(onChildWaiting && { onChildWaiting }) },
    );
  }

  /** Stores the tasks that are not stored yet, and returns all. */
  async #store(
    tasks: readonly NewTask[],
    { idempotencyKey, actionId }: DelegatingCall,
  ): Promise<readonly TaskRecord[]> {
    const { session } = this.#bound;
    const ids = tasks.map(({ taskId }, index) => childId(idempotencyKey, taskId ?? String(index)));
    await session.journal.emit(() => {
      const drafts: Draft[] = [];
      for (const [index, { taskId, subAgent, description }] of tasks.entries()) {
        const conversation_id = ids[index] ?? '';
        if (this.tasks.some((task) => task.conversationId === conversation_id)) continue;
        const value = {
          task_id: taskId ?? numberedId(this.tasks.length + drafts.length + 1),
          conversation_id,
          sub_agent: subAgent,
          ...(actionId !== undefined && { action_id: actionId }),
          ...(description !== undefined && { description }),
          at: session.now(),
        };
        drafts.push({ make: (stamp) => taskFact.create(value, stamp) });
      }
      return drafts;
    });
    return ids.flatMap((id) => this.tasks.find(({ conversationId }) => conversationId === id) ?? []);
  }

  get #bound(): DelegationHost {
    if (this.#host) return this.#host;
    throw new Error('A tool of a conversation was called before the conversation was open.');
  }

  #subAgent(name: string): SubAgent {
    const subAgent = findSubAgent(this.agents, name);
    if (subAgent) return subAgent;
    const names = this.agents.map((agent) => agent.name).join(', ');
    throw new AgentError('invalid', `There is no sub-agent ${JSON.stringify(name)}. The sub-agents are: ${names}.`);
  }

  #agentOf(subAgent: SubAgent): Agent {
    const { session, depth } = this.#bound;
    if (depth >= maxDepth) {
      throw new AgentError('invalid', `This is a sub-agent at level ${depth}, which cannot start others.`);
    }
    try {
      return subAgent.create(session.agent, { toolNames: [...session.tools.keys()] });
    } catch (cause) {
      if (!(cause instanceof AgentError || cause instanceof SpecError)) throw cause;
      const message = `The sub-agent ${subAgent.name} cannot be created: ${cause.message}`;
      throw new AgentError('invalid', message, { cause });
    }
  }
}

function childId(key: string, name: string): string {
  return digestOf(`${key}:task:${name}`).slice(0, 32);
}

/** Returns an id in the form of a UUID, as other events have it. */
function messageId(key: string, taskId: string): string {
  const hex = digestOf(`${key}:message:${taskId}`);
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

function numberedId(number: number): string {
  return `task_${number.toString(16).padStart(8, '0')}`;
}
