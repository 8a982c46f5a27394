import type { Sandbox } from '@varve/sandbox';
import { withoutUndefined, type Variables } from '@varve/text';
import type { AskForServer, McpLogins, McpServers, McpToolSpec } from '@varve/tools/mcp';
import { configuredServers, type FileServer, type ServerPlaces } from '../extensions/configured-servers.ts';
import { secretsOfServer } from '../extensions/secrets-of-server.ts';

/** Options of {@link startServers}. */
export interface StartServersOptions extends Omit<ServerPlaces, 'secrets'> {
  readonly env: Variables;
  /** Secrets that servers may be given, by name. */
  readonly variables: Readonly<Record<string, string>>;
  /** Values that must not be part of messages. */
  readonly masked: readonly string[];
  /** Tools of servers that a stored conversation was used with. */
  readonly stored?: readonly McpToolSpec[] | undefined;
  /** Walls around the processes of servers whose configuration does not refuse it. Default: none. */
  readonly sandbox?: Sandbox | undefined;
  /** Logins of the person at servers. Default: none. */
  readonly logins?: McpLogins | undefined;
  /** Asks the person what a server asks for. Default: servers are not offered that. */
  readonly askForServer?: AskForServer | undefined;
}

/** Servers of an agent. Disposing ends those that no conversation uses. */
export interface StartedServers extends AsyncDisposable, Pick<McpServers, 'tools' | 'problems'> {
  /** What they offer to a person; absent without servers. */
  readonly offers?: McpServers['offers'];
  readonly kinds: readonly McpServers['kind'][];
  /** Secrets that the configurations contain: they must not be stored. */
  readonly secrets: readonly string[];
}

/** Starts the servers. Those of a stored conversation that do not start answer each call with that. */
export async function startServers(
  files: readonly FileServer[],
  { env, masked, variables, stored = [], sandbox, logins, askForServer, ...places }: StartServersOptions,
): Promise<StartedServers> {
  const { servers, outside, problems } = configuredServers(files, { ...places, secrets: variables });
  if (Object.keys(servers).length === 0 && stored.length === 0)
    return { tools: [], kinds: [], secrets: [], problems, [Symbol.asyncDispose]: async () => undefined };
  // Loaded here, because few runs have servers.
  const { startMcpServers } = await import('@varve/tools/mcp');
  const secrets = Object.values(servers).flatMap(secretsOfServer);
  const started = await startMcpServers(servers, {
    env,
    secrets: [...masked, ...secrets],
    ...withoutUndefined({ logins, askForServer }),
    sandboxOf: (name) => (outside.has(name) ? undefined : sandbox),
  });
  const isStarted = (server: string): boolean => started.tools.some(({ params }) => params.server === server);
  return {
    tools: [...started.tools, ...stored.filter(({ params }) => !isStarted(params.server))],
    kinds: [started.kind],
    secrets,
    problems: [...problems, ...started.problems],
    offers: started.offers,
    [Symbol.asyncDispose]: () => started[Symbol.asyncDispose](),
  };
}
