import { toolKinds } from '@varve/tools';
import { delegationToolNames } from '../derived-agent.ts';

/** Tools of a file by the names of varve. */
export interface NamedTools {
  readonly names: readonly string[];
  /** Names that no tool of varve has. */
  readonly unknown: readonly string[];
}

/** Names of tools in Claude Code. Reading alone is the editor that changes only a plan. */
const foreignNames: Readonly<Record<string, string>> = {
  Bash: 'terminal',
  BashOutput: 'terminal',
  KillShell: 'terminal',
  Read: 'planning_file_editor',
  LS: 'glob',
  Glob: 'glob',
  Grep: 'grep',
  Edit: 'file_editor',
  MultiEdit: 'file_editor',
  Write: 'file_editor',
  TodoWrite: 'task_tracker',
  Task: 'task',
  Agent: 'task',
};

const ownNames: ReadonlyMap<string, string> = new Map([
  ...toolKinds().flatMap(({ kind, aliases = [] }) => [kind, ...aliases].map((name) => [name, kind] as const)),
  ...delegationToolNames.map((name) => [name, name] as const),
  ['task_tool_set', 'task'],
  ['TaskToolSet', 'task'],
  ...Object.entries(foreignNames),
]);

/** Returns tools by the names of varve, each once, and the names that are none of them. */
export function toolNamesOf(names: readonly string[]): NamedTools {
  const known = new Set<string>();
  const unknown: string[] = [];
  for (const name of names) {
    const ownName = ownNames.get(name);
    if (ownName === undefined) unknown.push(name);
    else known.add(ownName);
  }
  // The editor reads too.
  if (known.has('file_editor')) known.delete('planning_file_editor');
  return { names: [...known], unknown };
}
