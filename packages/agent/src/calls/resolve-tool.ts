import type { Tool } from '@varve/tools';

/** Names that models know from elsewhere. @see software-agent-sdk normalize_tool_call */
const aliases: Readonly<Record<string, string>> = {
  bash: 'terminal',
  command: 'terminal',
  execute: 'terminal',
  execute_bash: 'terminal',
  run_command: 'terminal',
  shell: 'terminal',
  str_replace: 'file_editor',
  str_replace_editor: 'file_editor',
  str_replace_based_edit_tool: 'file_editor',
};

/**
 * The tool that a name in a call means: the one called so, else the one named by its first word (models run names and
 * markup together), else what is called so elsewhere. Undefined when none is offered.
 */
export function resolveToolName(name: string, tools: ReadonlyMap<string, Tool>): Tool | undefined {
  const [word = ''] = /^[a-z_]\w*/i.exec(name.trim()) ?? [];
  const alias = Object.hasOwn(aliases, word) ? aliases[word] : undefined;
  return tools.get(name) ?? tools.get(word) ?? (alias === undefined ? undefined : tools.get(alias));
}
