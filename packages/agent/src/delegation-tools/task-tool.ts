import { text } from '@varve/events';
import { TaskAction, TaskObservation } from '@varve/events/payloads';
import { defineBuiltinTool, type Tool } from '@varve/tools';
import { AgentError } from '../error.ts';
import type { DelegatingCall, SubAgentTasks } from '../agent/sub-agent-tasks.ts';
import { describeSubAgents, startsAgents } from './delegating-tools.ts';
import type { TaskRecord } from '../log/projections/tasks-projection.ts';

interface TaskInput {
  readonly description?: string | undefined;
  readonly prompt: string;
  readonly subagent_type: string;
  readonly resume?: string | undefined;
}

/**
 * Returns the tool by which the model gives a part of its task to a sub-agent and waits for the answer. Several calls
 * of one reply run concurrently, as far as the agent's `concurrency` allows.
 *
 * @see software-agent-sdk TaskTool
 */
export function taskTool(delegation: SubAgentTasks): Tool<TaskInput> {
  return defineBuiltinTool({
    ...startsAgents('task'),
    description: `Gives a task to a sub-agent, waits until it ends, and returns its final message. A sub-agent sees nothing of this conversation and cannot ask: write everything it needs into the prompt, and what it should report. It works in the same directory. Use it for parts that can be described completely and whose steps do not matter here. The result contains the id of the task: resume a task by this id, with a prompt for what is to be done next, and it continues with all that it knows.

${describeSubAgents(delegation)}`,
    input: TaskAction,
    output: TaskObservation,
    definitionKind: 'TaskTool',
    resources: ({ resume }) => (resume === undefined ? [] : [`task:${resume}`]),
    execute: async (input, call) => {
      try {
        const task = await taskOf(input, delegation, call);
        const end = await delegation.run(task, input.prompt, call);
        return {
          content: [text(end.text)],
          is_error: !end.isCompleted,
          task_id: end.taskId,
          subagent: end.subAgent,
          status: end.isCompleted ? 'completed' : 'error',
        };
      } catch (error) {
        if (!(error instanceof AgentError)) throw error;
        const named = { task_id: input.resume ?? '', subagent: input.subagent_type, status: 'error' };
        return { content: [text(error.message)], is_error: true, ...named };
      }
    },
  });
}

async function taskOf(
  { resume, subagent_type: subAgent, description }: TaskInput,
  delegation: SubAgentTasks,
  call: DelegatingCall,
): Promise<TaskRecord> {
  if (resume !== undefined) {
    const record = delegation.tasks.find(({ taskId }) => taskId === resume);
    if (record) return record;
    const ids = delegation.tasks.map(({ taskId }) => taskId).join(', ');
    throw new AgentError('invalid', `There is no task ${JSON.stringify(resume)}. The tasks are: ${ids || 'none'}.`);
  }
  const [task] = await delegation.add([{ subAgent, ...(description !== undefined && { description }) }], call);
  if (!task) throw new Error('A task was stored and is not there.');
  return task;
}
