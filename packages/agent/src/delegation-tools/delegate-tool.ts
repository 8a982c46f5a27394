import { text } from '@varve/events';
import { DelegateAction, DelegateObservation } from '@varve/events/payloads';
import { defineBuiltinTool, type Tool } from '@varve/tools';
import { AgentError } from '../error.ts';
import type { DelegatingCall, SubAgentTasks, TaskResult } from '../agent/sub-agent-tasks.ts';
import { describeSubAgents, startsAgents } from './delegating-tools.ts';
import { subAgentName } from '../agent/agent.ts';
import type { TaskRecord } from '../log/projections/tasks-projection.ts';

interface DelegateInput {
  readonly command: 'spawn' | 'delegate';
  readonly ids?: readonly string[] | undefined;
  readonly agent_types?: readonly string[] | undefined;
  readonly tasks?: Readonly<Record<string, string>> | undefined;
}

/** Maximum number of sub-agents of one call. */
const maxSubAgentsPerCall = 5;

/**
 * Returns the tool by which the model names sub-agents, and then gives each a task, concurrently, with all results in
 * one observation. The reference uses it in old conversations only; {@link taskTool} starts single tasks.
 *
 * @see software-agent-sdk DelegateTool
 */
export function delegateTool(delegation: SubAgentTasks): Tool<DelegateInput> {
  return defineBuiltinTool({
    ...startsAgents('delegate'),
    description: `Runs up to ${maxSubAgentsPerCall} sub-agents concurrently. First spawn them with ids that you choose, then delegate a task to each by its id; delegate waits until all have ended and returns their final messages together. A sub-agent keeps what it knows for later tasks. It sees nothing of this conversation and cannot ask: write everything it needs into its task. All work in the same directory, so give them tasks that do not change the same files.

${describeSubAgents(delegation)}`,
    input: DelegateAction,
    output: DelegateObservation,
    definitionKind: 'DelegateTool',
    resources: ({ tasks, ids }) => [...Object.keys(tasks ?? {}), ...(ids ?? [])].map((id) => `task:${id}`),
    execute: async (input, call) => {
      const { command } = input;
      try {
        const result = command === 'spawn' ? await spawn(input, delegation, call) : await run(input, delegation, call);
        return { command, content: [text(result)] };
      } catch (error) {
        if (!(error instanceof AgentError)) throw error;
        return { command, content: [text(error.message)], is_error: true };
      }
    },
  });
}

/** Stores the sub-agents, all or none. */
async function spawn(
  { ids = [], agent_types: kinds = [] }: DelegateInput,
  delegation: SubAgentTasks,
  call: DelegatingCall,
): Promise<string> {
  checkCount(ids.length, 'spawn needs the ids of the sub-agents');
  const invalid = ids.find(
    (id, index) => !subAgentName.test(id) || id.startsWith('task_') || ids.indexOf(id) !== index,
  );
  if (invalid !== undefined) {
    throw new AgentError('invalid', `The id ${JSON.stringify(invalid)} is used twice, or is not a name.`);
  }
  if (kinds.length > ids.length) {
    throw new AgentError('invalid', `There are ${kinds.length} kinds of sub-agents for ${ids.length} ids.`);
  }
  const added = await delegation.add(
    ids.map((taskId, index) => ({ taskId, subAgent: kinds[index] ?? '' })),
    call,
  );
  return `Ready for tasks: ${added.map(({ taskId, subAgent }) => `${taskId} (${subAgent})`).join(', ')}.`;
}

async function run({ tasks = {} }: DelegateInput, delegation: SubAgentTasks, call: DelegatingCall): Promise<string> {
  const wanted = Object.entries(tasks);
  checkCount(wanted.length, 'delegate needs the tasks by the ids of the sub-agents');
  const orders = wanted.map(([id, prompt]) => ({ task: spawned(id, delegation), prompt }));
  const ends = await Promise.all(orders.map(({ task, prompt }) => delegation.run(task, prompt, call)));
  return ends.map(describeEnd).join('\n\n');
}

function spawned(id: string, { tasks }: SubAgentTasks): TaskRecord {
  const task = tasks.find(({ taskId }) => taskId === id);
  if (task) return task;
  const ids = tasks.map(({ taskId }) => taskId).join(', ');
  throw new AgentError('invalid', `No sub-agent ${JSON.stringify(id)} was spawned. There are: ${ids || 'none'}.`);
}

function describeEnd({ taskId, subAgent, isCompleted, text: result }: TaskResult): string {
  return `[sub-agent: ${taskId} (${subAgent}), status: ${isCompleted ? 'completed' : 'error'}]\n${result}`;
}

function checkCount(count: number, need: string): void {
  if (count >= 1 && count <= maxSubAgentsPerCall) return;
  throw new AgentError('invalid', `${need}, from 1 to ${maxSubAgentsPerCall}, and there are ${count}.`);
}
