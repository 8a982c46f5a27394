import { SystemPromptEvent } from '@varve/events/kinds';
import type { View } from '@varve/events/projections';
import type { Tool } from '@varve/tools';
import { clientTool, clientToolSpec, type ClientToolSpec } from '@varve/tools/client';
import { AgentError } from '../error.ts';

/** Where the client tools of a conversation are known from. */
export interface ClientToolSources {
  readonly id: string;
  /** Made by the agent. */
  readonly tools: ReadonlyMap<string, Tool>;
  /** Whoever creates or opens the conversation brings these. */
  readonly given: readonly ClientToolSpec[];
  /** Kept beside the log. */
  readonly kept?: readonly unknown[];
  /** Its system prompt tells what the log was begun with. */
  readonly view?: View;
}

/** The client tools of a conversation: what they are made of again, and the agent's tools with them behind. */
export interface ClientTools {
  readonly specs: readonly ClientToolSpec[];
  readonly tools: ReadonlyMap<string, Tool>;
}

/**
 * Registers the client tools of one conversation: those that it was worked on with, as its log and its configuration say,
 * then those that are new. One that the agent makes itself, of the same spec, is the agent's.
 *
 * @throws {AgentError} `invalid` when a name is taken by another tool, or by a client tool of another spec; {@link ToolError}
 * `unusable` for a spec that cannot be used.
 */
export function clientToolsOf({ id, tools, given, kept = [], view }: ClientToolSources): ClientTools {
  const specs = new Map<string, ClientToolSpec>();
  const all = new Map(tools);
  for (const json of [...kept, ...(view ? promptedBy(view) : []), ...given]) {
    const spec = clientToolSpec(json);
    const tool = clientTool(spec);
    const other = all.get(spec.name);
    if (other && !isSame(other, tool)) throw collision(spec.name, id, specs.has(spec.name));
    specs.set(spec.name, spec);
    if (!other) all.set(spec.name, tool);
  }
  return { specs: [...specs.values()], tools: all };
}

function collision(name: string, id: string, isClients: boolean): AgentError {
  const advice = isClients
    ? `Conversation ${id} has a client tool ${name} of another description or schema: open it without this one, or give this one another name.`
    : `Conversation ${id} has a client tool ${name}, and the agent has a tool of that name: make the agent without it, or give one of them another name.`;
  return new AgentError('invalid', advice);
}

function isSame(one: Tool, other: Tool): boolean {
  return JSON.stringify(one.definition) === JSON.stringify(other.definition);
}

function promptedBy({ events }: View): readonly unknown[] {
  const prompt = events.find((event) => SystemPromptEvent.is(event));
  return prompt?.tools.filter(({ kind }) => kind === 'ClientTool') ?? [];
}
