import type { Json } from '@varve/events';
import { preparePart, type Registry, type SpecProblem } from '@varve/events/specs';
import type { Mask, Redactor } from '@varve/text';
import type { SharedTool, Tool } from '@varve/tools';
import { AgentError } from '../error.ts';
import type { SubAgentTasks } from './sub-agent-tasks.ts';

/** Context in which the tools of a conversation are made. */
export interface ToolsContext {
  readonly conversationId: string;
  /** Masks the conversation's secrets, for tools that keep text outside the log. */
  readonly mask: Mask;
  /** Masks the same secrets in text that arrives in pieces, or before it is cut; an option of `defaultTools`. */
  readonly redactor: Redactor;
  /** Sub-agents of the conversation, for tools that start them; absent where tools are made without one. */
  readonly delegation?: SubAgentTasks;
}

/** Makes the tools of one conversation. */
export interface Toolset {
  (context: ToolsContext): readonly Tool[];
  /** JSON from which it can be rebuilt; absent for a function of the application. */
  readonly spec?: readonly Json[];
}

/** Makes one tool of each conversation, such as `subAgent` does. */
export type ToolMaker = (context: ToolsContext) => Tool;

/** Returns tools that conversations share, or that are made one by one, as a toolset. */
export function toolsetOf(tools: Toolset | readonly (SharedTool | ToolMaker)[]): Toolset {
  if (typeof tools === 'function') return tools;
  return (context) => tools.map((tool) => (typeof tool === 'function' ? tool(context) : tool));
}

/** Returns a toolset whose tools are wrapped; it is rebuilt from its spec without that. */
export function wrappedToolset(tools: Toolset, wrap: (tool: Tool) => Tool): Toolset {
  const { spec } = tools;
  return Object.assign((context: ToolsContext) => tools(context).map((tool) => wrap(tool)), spec && { spec });
}

/** What conversations close, or have closed: each is closed with the first conversation that has it. */
const owned = new WeakSet<object>();

/** Returns what identifies the state of a tool: a copy with other fields, or a wrapper, closes the same. */
export function stateOf(tool: Tool): object {
  const close: unknown = Object.getOwnPropertyDescriptor(tool, 'close')?.value;
  return typeof close === 'function' ? close : tool;
}

/**
 * Returns the tools of a conversation, which closes them from now on.
 *
 * @throws {AgentError} `invalid` when two have the same name, or one with state was made for another conversation; the
 * others are closed.
 */
export function ownTools(made: readonly Tool[]): ReadonlyMap<string, Tool> {
  const tools = new Map(made.map((tool) => [tool.name, tool]));
  const used = made.find((tool) => tool.close && owned.has(stateOf(tool)));
  const problem = used
    ? `The tool ${used.name} closes with its conversation, and the same value was used by another one.`
    : tools.size < made.length && `Two tools of the agent are called ${duplicateIn(made)}.`;
  if (problem) {
    void closeUnowned(made);
    throw new AgentError('invalid', problem);
  }
  for (const tool of made) if (tool.close) owned.add(stateOf(tool));
  return tools;
}

function duplicateIn(tools: readonly Tool[]): string | undefined {
  const names = tools.map(({ name }) => name);
  return names.find((name, index) => names.indexOf(name) !== index);
}

/** Closes tools that were made and are not used, except those that another conversation owns. Never rejects. */
export async function closeUnowned(made: readonly Tool[]): Promise<void> {
  await Promise.allSettled(made.map(async (tool) => !owned.has(stateOf(tool)) && tool.close?.()));
}

/** A tool by name, with its options, as the reference stores it. */
export interface NamedTool {
  readonly name: string;
  readonly params?: Readonly<Record<string, Json>>;
}

/** Kinds of tools by name. */
export type ToolRegistry = Registry<readonly Tool[], ToolsContext>;

/** Options of {@link toolset}. */
export interface ToolsetOptions {
  /** Called for each option that a tool does not have. Must not throw. */
  readonly onIgnored?: (problem: SpecProblem) => void;
}

/**
 * Returns the tools with these names, for example those of `toolPresets`, in this order. Their options are checked now,
 * and the tools are created for each conversation.
 *
 * @throws {SpecError} for a name that the registry does not have, and for invalid options.
 */
export function toolset(
  tools: readonly (string | NamedTool)[],
  registry: ToolRegistry,
  { onIgnored }: ToolsetOptions = {},
): Toolset {
  const named = tools.map((tool) => (typeof tool === 'string' ? { name: tool } : tool));
  const makers = named.map(({ name, params = {} }, index) =>
    preparePart({ ...params, kind: name }, { registry, path: ['tools', index], ...(onIgnored && { onIgnored }) }),
  );
  const spec = named.map(({ name, params = {} }) => ({ name, params }));
  const make = (context: ToolsContext): readonly Tool[] => makers.flatMap((maker) => [...maker(context)]);
  return Object.assign(make, { spec });
}
