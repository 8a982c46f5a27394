import { AgentError } from '@varve/agent';
import type { SubAgent } from '@varve/agent/delegation';
import { transferToAgent } from './control-tools.ts';
import { partOf, type Composition, type StepContext, type StepEnd } from './composition.ts';
import { runAgent } from './compositions.ts';
import { renderWork, type AgentWork } from './render-work.ts';

/** Options of {@link withHandoffs}. */
export interface HandoffOptions {
  /** Maximum number of transfers; default 10. */
  readonly maxTransfers?: number;
  /**
   * What an agent that takes over reads alongside the task: `work`, the default, is the messages, calls and results of
   * the agents before it, as far as they fit, and the reasons; `reasons` is these only.
   */
  readonly passes?: 'work' | 'reasons';
  /**
   * The agent that begins: `first` of the list, the default, or the `active` one, which answered the message before in
   * the same conversation, with the same position in its composition.
   */
  readonly begins?: 'first' | 'active';
}

/**
 * Lets agents hand a task over to each other with `transfer_to_agent`, which each of them has: the first begins, and
 * the answer of the last is the text. An agent that takes over has a conversation of its own, whose first message has
 * the task and what the agents before it did. Control that is no transfer is that of the whole.
 *
 * @throws {AgentError} `invalid` for fewer than two agents.
 * @see orxhestra transfer_to_agent (where the next agent reads the final message of each earlier one)
 */
export function withHandoffs(
  agents: readonly SubAgent[],
  { maxTransfers = 10, passes = 'work', begins = 'first' }: HandoffOptions = {},
): Composition {
  const [first] = agents;
  if (!first || agents.length < 2) throw new AgentError('invalid', 'Handoffs need at least two agents.');
  const render = passes === 'work' ? renderWork : renderReasons;
  return {
    name: 'handoffs',
    async run(input, context) {
      let agent = (begins === 'active' && activeAgent(agents, context)) || first;
      const work: AgentWork[] = [];
      for (let transfers = 0; ; transfers++) {
        const others = agents.filter((other) => other !== agent);
        const part = partOf(context, `${transfers + 1}-${agent.name}`, {
          tools: [() => transferToAgent(others)],
        });
        const prompt = work.length === 0 ? input : `${input}\n\n${render(work)}`;
        const { end, events } = await runAgent(agent, prompt, part);
        const { control } = end;
        if (control?.kind !== 'transfer') return end;
        if (transfers >= maxTransfers) return tooMany(end, maxTransfers);
        work.push({ name: agent.name, to: control.agent, reason: control.reason, events });
        agent = agents.find(({ name }) => name === control.agent) ?? first;
      }
    },
  };
}

/**
 * Returns the agent of the last task of an earlier run of this composition. Tasks of this run, which may have been cut
 * off, do not count, so that it begins with the same agent again.
 */
function activeAgent(agents: readonly SubAgent[], { delegation, path }: StepContext): SubAgent | undefined {
  const position = path.slice(path.indexOf('.'));
  const start = delegation.tasks.findIndex(({ taskId }) => taskId.startsWith(`${path}.`));
  const earlier = start === -1 ? delegation.tasks : delegation.tasks.slice(0, start);
  const last = earlier.findLast(({ taskId }) => taskId.slice(taskId.indexOf('.')).startsWith(`${position}.`));
  return last && agents.find(({ name }) => name === last.subAgent);
}

function renderReasons(work: readonly AgentWork[]): string {
  const lines = work.map(({ name, to, reason }) => `${name} handed over to ${to}: ${reason}`);
  return `Other agents worked on this before you:\n${lines.join('\n')}`;
}

function tooMany({ name }: StepEnd, maxTransfers: number): StepEnd {
  return { name, isCompleted: false, text: `The agents handed the task over more than ${maxTransfers} times.` };
}
