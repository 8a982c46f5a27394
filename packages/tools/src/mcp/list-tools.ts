import { SdkError, SdkErrorCode, type Client, type RequestOptions } from '@modelcontextprotocol/client';
import * as z from 'zod';
import { lazy } from '@varve/events';
import type { McpToolDescription } from './mcp-server.ts';

/** Tools of a server, and the reason for each that cannot be used, as a sentence without the name of the server. */
export interface ListedTools {
  readonly tools: readonly McpToolDescription[];
  readonly problems: readonly string[];
}

/** Maximum number of tools of one server, and size of the description of one in characters. */
const maxTools = 128;
const maxDescription = 8000;
const maxSchema = 32_000;
const maxName = 200;
/** Maximum number of pages of a list, as in the client. */
const maxPages = 64;
/** Longest name of a tool in a problem. */
const maxShownName = 80;

/** Lists the tools of a connected server. One that is invalid, or too large, hides no other. */
export async function listTools(client: Client, limits: RequestOptions): Promise<ListedTools> {
  // The client would print a line, on the standard output of the host.
  if (!client.getServerCapabilities()?.tools) return { tools: [], problems: [] };
  const listed = await listWhole(client, limits);
  const read = withoutRepeated(listed.map((tool, index) => readTool(tool, index)));
  const tools = read.flatMap((tool) => (typeof tool === 'string' ? [] : [tool]));
  const more = tools.length - maxTools;
  return {
    tools: tools.slice(0, maxTools),
    problems: [
      ...read.filter((tool) => typeof tool === 'string'),
      ...(more > 0 ? [`It has more than ${maxTools} tools: the last ${more} are left out.`] : []),
    ],
  };
}

/** Keeps the first of several tools with one name. */
function withoutRepeated(read: readonly (McpToolDescription | string)[]): readonly (McpToolDescription | string)[] {
  const names = new Set<string>();
  return read.map((tool, index) => {
    if (typeof tool === 'string') return tool;
    if (names.has(tool.name)) return `${nameOf(tool, index)} is left out: another one has its name.`;
    names.add(tool.name);
    return tool;
  });
}

/** The client rejects a whole list for one invalid tool. Such a list is read again, one tool at a time. */
async function listWhole(client: Client, limits: RequestOptions): Promise<readonly unknown[]> {
  try {
    return (await client.listTools(undefined, limits)).tools;
  } catch (error) {
    if (!SdkError.isInstance(error) || error.code !== SdkErrorCode.InvalidResult) throw error;
  }
  const tools: unknown[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < maxPages; pages++) {
    const params = cursor === undefined ? {} : { cursor };
    const page = await client.request({ method: 'tools/list', params }, anyPage(), limits);
    tools.push(...page.tools);
    if (page.nextCursor === undefined || page.nextCursor === cursor) break;
    cursor = page.nextCursor;
  }
  return tools;
}

const anyPage = lazy(() =>
  z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional().catch(undefined) }),
);

const optionalText = lazy(() => z.string().optional().catch(undefined));
const listedTool = lazy(() =>
  z.looseObject({
    name: z.string().min(1).max(maxName),
    title: optionalText(),
    description: optionalText(),
    // Some servers leave out the schema of a tool without parameters, or its type.
    inputSchema: z.looseObject({ type: z.literal('object').nullish() }).nullish(),
  }),
);

/** Returns a tool, or the reason why it cannot be used. */
function readTool(listed: unknown, index: number): McpToolDescription | string {
  const { data, error } = listedTool().safeParse(listed);
  if (!data) {
    const path = error.issues[0]?.path.join('.') ?? '';
    return `${nameOf(listed, index)} is left out: ${path === '' ? 'it is not an object' : `its ${path} is invalid`}.`;
  }
  const { name, title, description } = data;
  const { $schema: dialect, ...schema } = data.inputSchema ?? {};
  if (JSON.stringify(schema).length > maxSchema) {
    return `${nameOf(listed, index)} is left out: its schema has more than ${maxSchema} characters.`;
  }
  const text = [description, title, name].find((part) => part !== undefined && part.trim() !== '') ?? name;
  const parameters = { ...schema, type: 'object' };
  return {
    name,
    description: text.slice(0, maxDescription).toWellFormed(),
    parameters,
    ...(typeof dialect === 'string' && { dialect }),
  };
}

function nameOf(listed: unknown, index: number): string {
  const { name } = z.looseObject({ name: optionalText() }).catch({ name: undefined }).parse(listed);
  return name === undefined ? `Tool ${index + 1}` : `The tool ${JSON.stringify(name.slice(0, maxShownName))}`;
}
