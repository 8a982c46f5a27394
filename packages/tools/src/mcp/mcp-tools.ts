import { isDeepStrictEqual } from 'node:util';
import type { Redactor } from '@varve/text';
import type { Tool } from '../contract/tool.ts';
import type { McpToolDescription } from './mcp-server.ts';
import type { McpSession } from './mcp-session.ts';
import { mcpTool } from './mcp-tool.ts';

/** Options of {@link mcpTools}. */
export interface McpToolsOptions {
  /** Name of the server in the settings. */
  readonly server: string;
  readonly session: McpSession;
  readonly redactor: Redactor;
  /** See `sandbox` of {@link Tool}. */
  readonly sandbox?: string | undefined;
}

/** Returns tools of a server, whose source compares them with those that the server lists later. */
export function mcpTools(descriptions: readonly McpToolDescription[], options: McpToolsOptions): readonly Tool[] {
  const { session } = options;
  const current = new Map<string, { readonly description: McpToolDescription; readonly tool: Tool }>();
  const made: Tool[] = [];
  const source: NonNullable<Tool['source']> = {
    made,
    async changes(signal) {
      const listed = await session.listedTools(signal);
      if (!listed) return { added: [], removed: [] };
      const names = new Set(listed.map(({ name }) => name));
      const changed = listed.filter((tool) => !isDeepStrictEqual(tool, current.get(tool.name)?.description));
      const unlisted = [...current.keys()].filter((name) => !names.has(name));
      const removed = [...changed.map(({ name }) => name), ...unlisted].flatMap(
        (name) => current.get(name)?.tool ?? [],
      );
      for (const name of unlisted) current.delete(name);
      // Made before others are closed: the last tool that is closed ends the server.
      return { added: changed.map(make), removed };
    },
  };
  const make = (description: McpToolDescription): Tool => {
    const tool = mcpTool({ ...options, description, source });
    current.set(description.name, { description, tool });
    return tool;
  };
  made.push(...descriptions.map(make));
  return made;
}
