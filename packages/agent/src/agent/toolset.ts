import type { Json } from '@varve/events';
import { preparePart, type Registry, type SpecProblem } from '@varve/events/specs';
import type { Mask, Redactor } from '@varve/text';
import type { Tool } from '@varve/tools';
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
