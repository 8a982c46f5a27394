import { parseJson } from '@varve/text';
import { fieldsOf, type Fields } from './foreign-json.ts';

/** A tool of another system: its name, and its arguments as a JSON Schema. */
export interface ForeignTool {
  readonly name: string;
  readonly description: unknown;
  readonly parameters: unknown;
}

/** Returns the definition of a tool in the form in which the reference stores tools that have no class of their own. */
export function toolDefinition({ name, description, parameters }: ForeignTool) {
  const mcp_tool = { name, description, inputSchema: parameters };
  const kinds = { action_type: 'MCPToolAction', observation_type: 'MCPToolObservation' };
  return { description, ...kinds, mcp_tool, kind: 'MCPToolDefinition', title: name };
}

/** Returns the arguments of a call as an object; empty if their JSON is anything else. */
export function argumentsOf({ arguments: written }: { readonly arguments: string }): Fields {
  return fieldsOf(parseJson(written)) ?? {};
}
