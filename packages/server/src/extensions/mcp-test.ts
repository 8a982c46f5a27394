import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import { SettingsError } from '@varve/settings';
import { resolveServer, secretsOfServer } from '@varve/settings/agent';
import { isToken, receivedText, type Cipher } from '@varve/settings/secrets';
import { redactor, type Variables } from '@varve/text';
import { ToolError } from '@varve/tools';
import { connectMcp, type McpServer } from '@varve/tools/mcp';

const transportKind = lazy(() => z.enum(['stdio', 'http', 'shttp', 'streamable-http', 'sse']));
const texts = lazy(() => z.record(z.string(), z.string()).nullish());

/** A server to try, as the settings or a client describe it. */
const serverToTry = lazy(() =>
  z.looseObject({
    type: transportKind().nullish(),
    transport: transportKind().nullish(),
    command: z.string().nullish(),
    args: z.array(z.string()).nullish(),
    env: texts(),
    cwd: z.string().nullish(),
    url: z.string().nullish(),
    headers: texts(),
    auth: z.looseObject({ strategy: z.string().optional() }).nullish(),
  }),
);

/** A server to try, and a call of one of its tools. @see agent-server 1.43.1 OpenAPI, MCPTestRequest */
export const mcpTestRequest = lazy(() =>
  z
    .object({
      name: z.string().min(1).max(200).default('test-server'),
      server: serverToTry(),
      /** Seconds. */
      timeout: z.number().positive().max(120).default(15),
      tool_call: z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()).default({}) }).nullish(),
    })
    .openapi('MCPTestRequest'),
);

type McpTest = z.output<ReturnType<typeof mcpTestRequest>>;

/** Result of a try. @see agent-server 1.43.1, POST /api/mcp/test */
export type McpTestResult =
  | {
      readonly ok: true;
      readonly tools: readonly string[];
      readonly tool_result?: { readonly is_error: boolean; readonly text: string };
    }
  | { readonly ok: false; readonly error: string; readonly error_kind: 'timeout' | 'connection' | 'unknown' };

/** Options of {@link mcpTester}. */
export interface McpTesterOptions {
  /** Directory of processes without one, and of relative directories. */
  readonly workspaceRoot: string;
  readonly env: Variables;
  /** Returns the secrets of the person by name, to which `${NAME}` refers. */
  readonly secrets: () => Promise<Readonly<Record<string, string>>>;
  readonly cipher: () => Promise<Cipher>;
}

/** Tries a server. Never rejects for a server that fails. */
export type McpTester = (test: McpTest, signal: AbortSignal) => Promise<McpTestResult>;

/** Longest text of a result. */
const maxText = 20_000;

/** Creates a function that starts a server, or connects to it, and ends it. */
export function mcpTester(options: McpTesterOptions): McpTester {
  return async (test, signal) => {
    const timeout = AbortSignal.timeout(test.timeout * 1000);
    const secrets = await options.secrets();
    const values = [...Object.values(secrets), ...Object.values({ ...test.server.env, ...test.server.headers })];
    let masked = redactor(values, { replacement: '<secret-hidden>' });
    try {
      const server = serverOf(test, { ...options, secrets, cipher: await options.cipher() });
      masked = redactor([...values, ...valuesOf(server)], { replacement: '<secret-hidden>' });
      const connecting = { env: options.env, redactor: masked, signal: AbortSignal.any([signal, timeout]) };
      const connection = await connectMcp(test.name, server, connecting);
      try {
        return {
          ok: true,
          tools: connection.tools.map(({ name }) => name),
          ...(await called(test, connection, connecting)),
        };
      } finally {
        await connection.close();
      }
    } catch (error) {
      if (timeout.aborted) return failed(`The server did not answer within ${test.timeout} seconds.`, 'timeout');
      if (error instanceof SettingsError) return failed(masked.text(error.message), 'unknown');
      if (error instanceof ToolError) return failed(masked.text(error.message), 'connection');
      throw error;
    }
  };
}

/** Returns the values of variables and headers, and other secrets of a server. */
function valuesOf(server: McpServer): readonly string[] {
  const named = server.transport === 'stdio' ? server.env : server.headers;
  return [...Object.values(named ?? {}), ...secretsOfServer(server)];
}

function failed(error: string, kind: 'timeout' | 'connection' | 'unknown'): McpTestResult {
  return { ok: false, error, error_kind: kind };
}

interface Resolving {
  readonly workspaceRoot: string;
  readonly secrets: Readonly<Record<string, string>>;
  readonly cipher: Cipher;
}

function serverOf({ name, server, timeout }: McpTest, { workspaceRoot, secrets, cipher }: Resolving): McpServer {
  const { type, transport = type, command, args, cwd, url, auth } = server;
  // Other clients have their own word for streamable HTTP.
  const known = transport === 'shttp' ? 'streamable-http' : transport;
  const config = {
    transport: known ?? undefined,
    command: command ?? undefined,
    args: args ?? undefined,
    cwd: cwd ?? undefined,
    url: url ?? undefined,
    auth: auth ?? undefined,
    env: decrypted(server.env, cipher),
    headers: decrypted(server.headers, cipher),
    timeout,
  };
  const set = Object.entries(config).filter(([, value]) => value !== undefined);
  const context = { directory: workspaceRoot, secrets };
  return resolveServer(name, Object.fromEntries(set) as Parameters<typeof resolveServer>[1], context);
}

/** Clients send the tokens back that the settings contain. */
function decrypted(values: McpTest['server']['env'], cipher: Cipher): Readonly<Record<string, string>> | undefined {
  if (!values) return undefined;
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const clear = isToken(value) ? receivedText(value, cipher) : value;
      return clear === undefined ? [] : [[name, clear]];
    }),
  );
}

async function called(
  { tool_call: call }: McpTest,
  connection: Awaited<ReturnType<typeof connectMcp>>,
  { redactor: masked, signal }: { readonly redactor: ReturnType<typeof redactor>; readonly signal: AbortSignal },
): Promise<{ readonly tool_result?: { readonly is_error: boolean; readonly text: string } }> {
  if (!call) return {};
  const result = await connection.call(call.name, call.arguments, signal);
  const parts = result.content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`));
  return { tool_result: { is_error: result.isError === true, text: masked.text(parts.join('\n')).slice(0, maxText) } };
}
