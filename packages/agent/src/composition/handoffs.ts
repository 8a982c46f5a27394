import { transferToAgent } from '@varve/tools/control';
import { AgentError } from '../error.ts';
import { findSubAgent, type SubAgent } from '../delegation/sub-agent.ts';
import { partOf, type Composition, type StepEnd } from './composition.ts';
import { agentStep } from './compositions.ts';

/** Options of {@link withHandoffs}. */
export interface HandoffOptions {
  /** Maximum number of transfers; default 10. */
  readonly maxTransfers?: number;
}

/**
 * Lets agents hand a task over to each other with `transfer_to_agent`, which each of them has: the first begins, and
 * the answer of the last is the text. An agent that takes over reads the task, the reason, and what the agents before
 * it wrote. Control that is no transfer is that of the whole.
 *
 * @throws {AgentError} `invalid` for fewer than two agents.
 */
export function withHandoffs(agents: readonly SubAgent[], { maxTransfers = 10 }: HandoffOptions = {}): Composition {
  const [first] = agents;
  if (!first || agents.length < 2) throw new AgentError('invalid', 'Handoffs need at least two agents.');
  return {
    name: 'handoffs',
    async run(input, context) {
      let agent = first;
      const notes: string[] = [];
      for (let transfers = 0; ; transfers++) {
        const others = agents.filter((one) => one !== agent);
        const part = partOf(context, `${transfers + 1}-${agent.name}`, [() => transferToAgent(others)]);
        const end = await agentStep(agent).run(promptOf(input, notes), part);
        const { control } = end;
        if (control?.kind !== 'transfer') return end;
        if (transfers >= maxTransfers) return tooMany(end, maxTransfers);
        notes.push(`${agent.name} handed over to ${control.agent}: ${control.reason}`);
        agent = findSubAgent(agents, control.agent) ?? first;
      }
    },
  };
}

function promptOf(input: string, notes: readonly string[]): string {
  return notes.length === 0 ? input : `${input}\n\nOther agents worked on this before you:\n${notes.join('\n')}`;
}

function tooMany({ name }: StepEnd, maxTransfers: number): StepEnd {
  return { name, isCompleted: false, text: `The agents handed the task over more than ${maxTransfers} times.` };
}
