import type { Tool } from '@varve/tools';

/**
 * Returns the tool that a call names: the tool of that name, else the tool named by its first word (models run names
 * and markup together), else the tool that has this word as an alias. Undefined when no offered tool matches.
 *
 * @see software-agent-sdk normalize_tool_call
 */
export function resolveToolName(name: string, tools: ReadonlyMap<string, Tool>): Tool | undefined {
  const [word = ''] = /^[a-z_]\w*/i.exec(name.trim()) ?? [];
  return tools.get(name) ?? tools.get(word) ?? [...tools.values()].find(({ aliases }) => aliases?.includes(word));
}
