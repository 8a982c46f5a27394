import type { SubAgent } from '../agent/agent.ts';

/** Name that calls have which name no sub-agent. */
const defaultName = 'general-purpose';

/** Returns the sub-agent with a name or an alias. No name, and the default of the reference, are that of the first. */
export function findSubAgent(agents: readonly SubAgent[], name: string): SubAgent | undefined {
  const wanted = name.trim().toLowerCase();
  return (
    agents.find((agent) => agent.name.toLowerCase() === wanted) ??
    agents.find(({ aliases = [] }) => aliases.includes(wanted)) ??
    (wanted === '' || wanted === defaultName ? agents[0] : undefined)
  );
}
