import { definePartKind } from '@varve/events/specs';
import { lazy, type Json } from '@varve/events';
import { redactor as redactorOf, type Variables } from '@varve/text';
import * as z from 'zod';
import { ToolError } from '../contract/error.ts';
import type { Tool } from '../contract/tool.ts';
import type { ProgramSandbox } from '../processes/program-sandbox.ts';
import type { ToolKind } from '../specs/tool-kinds.ts';
import { connectMcp } from './connect-mcp.ts';
import type { McpConnection } from './mcp-connection.ts';
import type { McpLogins } from './mcp-logins.ts';
import type { AskForServer } from './ask-for-server.ts';
import type { McpServer, McpToolDescription } from './mcp-server.ts';
import { mcpOffers, type McpOffers } from './mcp-offers.ts';
import { McpSession } from './mcp-session.ts';
import { mcpTools } from './mcp-tools.ts';

/** Options of {@link startMcpServers}. */
export interface McpServersOptions {
  /** Environment of the host, of which processes get the public variables. */
  readonly env: Variables;
  /** Values that must not be part of messages. */
  readonly secrets?: readonly string[];
  readonly signal?: AbortSignal;
  /** Returns the walls around the process of a server. Default: none. */
  readonly sandboxOf?: (server: string) => ProgramSandbox | undefined;
  /** Logins of the person at servers with an address. Default: none. */
  readonly logins?: McpLogins;
  /** Asks the person what a server asks for during a call. Default: servers are not offered that. */
  readonly askForServer?: AskForServer;
}

/** Tools of one server in the spec of an agent. */
export interface McpToolSpec {
  readonly name: 'mcp';
  readonly params: { readonly [name: string]: Json; readonly server: string; readonly tools: readonly string[] };
}

/** Servers of an agent. Disposing ends those that no conversation uses. */
export interface McpServers extends AsyncDisposable {
  /** Tools of the servers that were started, for the spec of an agent. */
  readonly tools: readonly McpToolSpec[];
  /** Servers that could not be started, and tools that cannot be used, one sentence each. */
  readonly problems: readonly string[];
  /** What the servers offer to a person. */
  readonly offers: McpOffers;
  /** Kind of these tools. A tool of a server that is not running answers each call with that. */
  readonly kind: ToolKind;
}

const mcpOptions = lazy(() => z.object({ server: z.string(), tools: z.array(z.string()) }));

/**
 * Starts servers concurrently. One that fails is a problem and prevents no other. Each conversation has a connection of
 * its own, which its tools close; the first uses the one that was opened here. A server that ends is started again with
 * the next call, three times.
 */
export async function startMcpServers(
  servers: Readonly<Record<string, McpServer>>,
  options: McpServersOptions,
): Promise<McpServers> {
  const { started, problems } = await startAll(servers, options);
  return {
    tools: Object.keys(servers).flatMap((name) => started.get(name)?.spec(name) ?? []),
    problems: problems.toSorted(),
    offers: mcpOffers(new Map([...started].map(([name, server]) => [name, server.main]))),
    kind: definePartKind({
      kind: 'mcp',
      options: mcpOptions,
      create: ({ server, tools }, { redactor }): readonly Tool[] => {
        const startedServer = started.get(server);
        const session = startedServer?.session() ?? new McpSession(() => Promise.reject(notRunning(server)));
        const described = tools.map((name) => startedServer?.describe(name) ?? unknownTool(name));
        return mcpTools(described, { server, session, redactor, sandbox: startedServer?.sandbox });
      },
    }),
    async [Symbol.asyncDispose]() {
      await Promise.all([...started.values()].map(({ main }) => main.closeUnused()));
    },
  };
}

/** Starts the servers concurrently; those that fail are problems. */
async function startAll(servers: Readonly<Record<string, McpServer>>, options: McpServersOptions) {
  const connecting = { ...options, redactor: redactorOf(options.secrets ?? [], { replacement: '<secret-hidden>' }) };
  const started = new Map<string, StartedServer>();
  const problems: string[] = [];
  await Promise.all(
    Object.entries(servers).map(async ([name, server]) => {
      const sandbox = 'command' in server ? options.sandboxOf?.(name) : undefined;
      try {
        const connect = (signal?: AbortSignal) =>
          connectMcp(name, server, { ...connecting, ...(sandbox && { sandbox }), ...(signal && { signal }) });
        const connection = await connect(options.signal);
        started.set(name, new StartedServer(connect, connection, sandbox?.policy.profile));
        problems.push(...connection.problems);
      } catch (error) {
        if (!(error instanceof ToolError)) throw error;
        problems.push(error.message);
      }
    }),
  );
  return { started, problems };
}

class StartedServer {
  readonly #connect: (signal: AbortSignal) => Promise<McpConnection>;
  /** Profile of the sandbox of the process. */
  readonly sandbox: string | undefined;
  /** Session of the first conversation, and of the person. */
  readonly main: McpSession;
  readonly #tools: ReadonlyMap<string, McpToolDescription>;
  #isMainUsed = false;

  constructor(
    connect: (signal: AbortSignal) => Promise<McpConnection>,
    connection: McpConnection,
    sandbox: string | undefined,
  ) {
    this.sandbox = sandbox;
    this.#connect = connect;
    this.main = new McpSession(connect, connection);
    this.#tools = new Map(connection.tools.map((tool) => [tool.name, tool]));
  }

  spec(server: string): readonly McpToolSpec[] {
    return this.#tools.size === 0 ? [] : [{ name: 'mcp', params: { server, tools: [...this.#tools.keys()] } }];
  }

  describe(name: string): McpToolDescription | undefined {
    return this.#tools.get(name);
  }

  /** Returns a session of one conversation. */
  session(): McpSession {
    if (this.#isMainUsed) return new McpSession(this.#connect);
    this.#isMainUsed = true;
    return this.main;
  }
}

function notRunning(server: string): ToolError {
  return new ToolError('unusable', `The server ${server} is not running.`);
}

/** A stored conversation may name tools that the server does not list now. */
function unknownTool(name: string): McpToolDescription {
  return {
    name,
    description: `The tool ${name}.`,
    parameters: { type: 'object', properties: {}, additionalProperties: {} },
  };
}
