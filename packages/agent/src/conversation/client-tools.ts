import { SystemPromptEvent } from '@varve/events/kinds';
import type { View } from '@varve/events/projections';
import { type Tool, clientTool, clientToolSpec, type ClientToolSpec } from '@varve/tools';
import { AgentError } from '../error.ts';

/** Sources of the client tools of a conversation. */
export interface ClientToolSources {
  readonly id: string;
  /** Tools of the agent, by name. */
  readonly agentTools: ReadonlyMap<string, Tool>;
  /** Specs passed when the conversation is created or opened. */
  readonly added: readonly ClientToolSpec[];
  /** Specs stored next to the log. */
  readonly stored?: readonly unknown[];
  /** View whose system prompt lists the tools that the log began with; absent if its settings list them. */
  readonly view?: View;
}

/** Client tools of a conversation: their specs, and the agent's tools followed by them. */
export interface ClientTools {
  readonly specs: readonly ClientToolSpec[];
  readonly tools: ReadonlyMap<string, Tool>;
}

/**
 * Registers the client tools of one conversation: first those that its log and its configuration list, then new ones. A
 * client tool that equals a tool of the agent is replaced by it.
 *
 * @throws {AgentError} `invalid` when a name is taken by another tool, or by a client tool with another spec;
 * {@link ToolError} `unusable` for an unusable spec.
 */
export function registerClientTools({ id, agentTools, added, stored = [], view }: ClientToolSources): ClientTools {
  const specs = new Map<string, ClientToolSpec>();
  const tools = new Map(agentTools);
  for (const json of [...stored, ...(view ? specsInPrompt(view) : []), ...added]) {
    const spec = clientToolSpec(json);
    const tool = clientTool(spec);
    const other = tools.get(spec.name);
    if (other && !isSame(other, tool)) throw collision(spec.name, id, specs.has(spec.name));
    specs.set(spec.name, spec);
    if (!other) tools.set(spec.name, tool);
  }
  return { specs: [...specs.values()], tools };
}

function collision(name: string, id: string, isClientTool: boolean): AgentError {
  const message = isClientTool
    ? `Conversation ${id} has a client tool ${name} with another description or schema: open it without this one, or give this one another name.`
    : `Conversation ${id} has a client tool ${name}, and the agent has a tool of that name: make the agent without it, or give one of them another name.`;
  return new AgentError('invalid', message);
}

function isSame(a: Tool, b: Tool): boolean {
  return JSON.stringify(a.definition) === JSON.stringify(b.definition);
}

function specsInPrompt({ events }: View): readonly unknown[] {
  const prompt = events.find((event) => SystemPromptEvent.is(event));
  return prompt?.tools.filter(({ kind }) => kind === 'ClientTool') ?? [];
}
