import type { Content } from '@varve/events';
import { ToolError } from '../contract/error.ts';
import type { McpPrompt, McpResource } from './mcp-server.ts';
import type { McpConnection } from './mcp-connection.ts';
import type { McpSession } from './mcp-session.ts';

/** Resource or prompt of a server. */
type Offered<Offer> = Offer & { readonly server: string };

/** Resources and prompts of servers. All texts are those of the servers: nothing of them is trusted. */
export interface McpOffers {
  /** Names of the servers. */
  readonly servers: ReadonlySet<string>;
  /** Lists what the servers offer; one that fails offers nothing. */
  list(signal: AbortSignal): Promise<{
    readonly resources: readonly Offered<McpResource>[];
    readonly prompts: readonly Offered<McpPrompt>[];
  }>;
  /**
   * Returns the text of a resource, cut in the middle if it is long, and its images.
   *
   * @throws {ToolError} `unusable`.
   */
  resource(server: string, uri: string, signal: AbortSignal): Promise<readonly Content[]>;
  /** Returns the messages of a prompt. @throws {ToolError} `unusable`. */
  prompt(
    prompt: { readonly server: string; readonly name: string },
    values: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<readonly Content[]>;
}

/** Returns what servers offer over the sessions by their names. */
export function mcpOffers(sessions: ReadonlyMap<string, McpSession>): McpOffers {
  const ask = async <T>(
    server: string,
    signal: AbortSignal,
    what: (connection: McpConnection) => Promise<T>,
  ): Promise<T> => {
    const session = sessions.get(server);
    if (!session) throw new ToolError('unusable', `The server ${server} is not running.`);
    return session.ask(signal, what);
  };
  /** Failures leave out what a person can do without. */
  const listed = async <Offer>(
    list: (connection: McpConnection) => Promise<readonly Offer[]>,
    signal: AbortSignal,
  ): Promise<readonly Offered<Offer>[]> => {
    const lists = [...sessions.keys()].map(async (server) => {
      const offers = await ask(server, signal, list).catch((error: unknown) => {
        if (error instanceof ToolError) return [];
        throw error;
      });
      return offers.map((offer) => ({ ...offer, server }));
    });
    return (await Promise.all(lists)).flat();
  };
  return {
    servers: new Set(sessions.keys()),
    async list(signal) {
      const [resources, prompts] = await Promise.all([
        listed(async (connection) => connection.resources(signal), signal),
        listed(async (connection) => connection.prompts(signal), signal),
      ]);
      return { resources, prompts };
    },
    resource: async (server, uri, signal) =>
      ask(server, signal, async (connection) => connection.resource(uri, signal)),
    prompt: async ({ server, name }, values, signal) =>
      ask(server, signal, async (connection) => connection.prompt(name, values, signal)),
  };
}
