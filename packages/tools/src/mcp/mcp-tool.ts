import { createHash } from 'node:crypto';
import { MCPToolAction, MCPToolObservation } from '@varve/events/payloads';
import { text } from '@varve/events';
import type { Redactor } from '@varve/text';
import { anyArguments, argumentCheck, type ArgumentCheck } from '../client/argument-check.ts';
import { ToolError } from '../contract/error.ts';
import { lifetime } from '../contract/lifetime.ts';
import { cautiousAnnotations, type Tool } from '../contract/tool.ts';
import { checkableSchema } from './checkable-schema.ts';
import { contentOfResult } from './mcp-content.ts';
import type { McpToolDescription } from './mcp-server.ts';
import type { McpSession } from './mcp-session.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** Options of {@link mcpTool}. */
export interface McpToolOptions {
  /** Name of the server in the settings. */
  readonly server: string;
  readonly description: McpToolDescription;
  readonly session: McpSession;
  readonly redactor: Redactor;
  /** See `sandbox` of {@link Tool}. */
  readonly sandbox?: string | undefined;
  readonly source: NonNullable<Tool['source']>;
}

/** Longest name of a tool. */
const maxNameLength = 64;

/**
 * Returns the name by which the model calls a tool of a server. The prefix differs from every built-in tool, so that no
 * server can replace one; a name with other characters or that is too long ends with a hash.
 */
export function mcpToolName(server: string, tool: string): string {
  const plain = `mcp__${server}__${tool}`;
  const safe = plain.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
  if (safe === plain && safe.length <= maxNameLength) return safe;
  const hash = createHash('sha256')
    .update(JSON.stringify([server, tool]))
    .digest('hex')
    .slice(0, 8);
  return `${safe.slice(0, maxNameLength - hash.length - 1)}_${hash}`;
}

/**
 * Returns a tool of a server. Its hints have their cautious values, whatever the server claims, because policies trust
 * them. A server that fails is an observation.
 */
export function mcpTool({
  server,
  description: described,
  session,
  redactor,
  sandbox,
  source,
}: McpToolOptions): Tool<Arguments> {
  const name = mcpToolName(server, described.name);
  const { description, parameters } = described;
  const { run, ...closing } = lifetime({ name, close: session.use() });
  const parse = serverArguments(name, described);
  return {
    name,
    description,
    annotations: cautiousAnnotations,
    ...(sandbox !== undefined && { sandbox }),
    source,
    parameters,
    definition: definitionOf(name, described),
    parse,
    toAction: (input) => MCPToolAction.create({ data: { ...input } }),
    fromAction(action) {
      if (!MCPToolAction.is(action))
        throw new ToolError('invalid-input', `A ${action.kind} is not an action of ${name}.`);
      return parse(action.data);
    },
    effect: () => 'write',
    // Few servers expect concurrent calls.
    resources: () => [`mcp:${server}`],
    ...closing,
    execute: (input, context) =>
      run(context.signal, async () => {
        const { content, isError } = await resultOf(() => session.call(described.name, input, context), redactor);
        return MCPToolObservation.create({ content, tool_name: name, is_error: isError });
      }),
  };
}

/** Returns the content of a result; a server that fails has its problem as the content. */
async function resultOf(
  call: () => ReturnType<McpToolOptions['session']['call']>,
  redactor: McpToolOptions['redactor'],
) {
  try {
    const result = await call();
    return { content: contentOfResult(result, redactor), isError: result.isError === true };
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== 'unusable') throw error;
    return { content: [text(error.message)], isError: true };
  }
}

function definitionOf(name: string, { description, parameters }: McpToolOptions['description']) {
  return {
    description,
    action_type: MCPToolAction.kind,
    observation_type: MCPToolObservation.kind,
    annotations: cautiousAnnotations,
    mcp_tool: { name, description, inputSchema: parameters },
    kind: 'MCPToolDefinition',
    title: name,
  };
}

/** Most comparisons of a value with a schema: a list of many values may be checked with many schemas. */
const maxComparisons = 1_000_000;

/** The server checks its arguments by itself where its schema is invalid, or would take too long. */
function serverArguments(name: string, { parameters, dialect }: McpToolOptions['description']): ArgumentCheck {
  const unchecked = anyArguments(name);
  const checkable = checkableSchema({ ...parameters, ...(dialect !== undefined && { $schema: dialect }) });
  if (!checkable) return unchecked;
  try {
    const checked = argumentCheck(name, checkable.schema);
    return (input) => (valuesIn(input) * checkable.size <= maxComparisons ? checked : unchecked)(input);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return unchecked;
  }
}

/** Counts the values in a value, itself included. */
function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((count: number, item) => count + valuesIn(item), 1);
}
