import {
  Client,
  SdkHttpError,
  StreamableHTTPClientTransport,
  type Transport,
  type JsonSchemaValidatorResult,
} from '@modelcontextprotocol/client';
import { truncateMiddle, type Mask, type Redactor, type Variables } from '@varve/text';
import { ToolError } from '../contract/error.ts';
import type { ProgramSandbox } from '../processes/program-sandbox.ts';
import { shellEnvironment } from '../processes/shell-environment.ts';
import { addressTransport } from './address-transport.ts';
import { connectionOffers, type ServerRequest } from './connection-offers.ts';
import { failureReason } from './failure-reason.ts';
import { listTools, type ListedTools } from './list-tools.ts';
import type { McpResult } from './mcp-content.ts';
import { StartBudget } from './message-limits.ts';
import type { McpLogins } from './mcp-logins.ts';
import type { ConnectionOffers, McpServer, McpToolDescription } from './mcp-server.ts';
import { Operations } from './operations.ts';
import { ProcessTransport } from './process-transport.ts';
import type { AskForServer } from './ask-for-server.ts';
import { storedLogin, type StoredLogin } from './stored-login.ts';

/** Options of {@link openConnection}. */
export interface ConnectOptions {
  /** Environment of the host, of which a process gets the public variables. */
  readonly env: Variables;
  /** Masks secrets in messages. */
  readonly redactor: Redactor;
  readonly signal?: AbortSignal;
  /** Walls around a process. Default: none. */
  readonly sandbox?: ProgramSandbox;
  /** Logins of the person at servers with an address. Default: none. */
  readonly logins?: McpLogins;
  /** Asks the person what a server asks for during a call. Default: it is not offered that. */
  readonly askForServer?: AskForServer;
}

/** Open connection to a server. */
export interface McpConnection extends ConnectionOffers {
  /** Tools that it listed when it was connected. */
  readonly tools: readonly McpToolDescription[];
  /** Returns the tools that it lists now: they are listed again after it reported a change. */
  listedTools(signal: AbortSignal): Promise<readonly McpToolDescription[]>;
  /** Tools that it listed and that cannot be used, one sentence each. */
  readonly problems: readonly string[];
  /** False after the server has ended or forgotten the session, or the connection was closed. */
  readonly isOpen: boolean;
  /** True after the server has refused a request because it does not know the session: it was restarted. */
  readonly isForgotten: boolean;
  /**
   * Calls a tool. A key that is equal for every attempt at a call is sent with it, for servers that deduplicate.
   *
   * @throws {ToolError} `unusable` for a server that fails, ends or takes too long; what the signal aborts with.
   */
  call(
    tool: string,
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    idempotencyKey?: string,
  ): Promise<McpResult>;
  /** Ends the server, if it is a process. Idempotent. */
  close(): Promise<void>;
}

/** Time limit of each call, and the shortest one of the start without a limit of its own. */
const defaultTimeoutMs = 60_000;
const startMs = 30_000;
/** Longest limit; twice as much is still less than the longest delay of a timer. */
const maxTimeoutMs = 1_000_000_000;
/** Limit of the client in place of that of a call, which does not pass while a person answers a question. */
const noTimeout = 2 * maxTimeoutMs;

/** Longest reason of a failure, in characters. */
const maxProblem = 4000;

/**
 * Starts a server, or connects to it, and lists its tools. It cannot ask for samples or roots, and for input only
 * with `askForServer`. Tools that are invalid or too large are left out.
 *
 * @throws {ToolError} `unusable` with the reason, and the end of what a process printed.
 */
export async function openConnection(name: string, server: McpServer, options: ConnectOptions): Promise<McpConnection> {
  const { redactor, signal } = options;
  // Timers need whole numbers, and end immediately beyond what they can measure.
  const timeout = Math.ceil(Math.min(server.timeoutMs ?? defaultTimeoutMs, maxTimeoutMs));
  const budget = new StartBudget();
  const login = 'url' in server && options.logins ? storedLogin(name, server.url, options.logins) : undefined;
  const mask: Mask = login?.mask ?? ((value) => value);
  const transport = transportOf(server, options, { budget, login });
  const client = new Client({ name: 'varve', version: '0' }, { jsonSchemaValidator: { getValidator: () => accepted } });
  const operations = new Operations(name, timeout, options.askForServer);
  if (options.askForServer) answerQuestions(client, operations);
  let isOpen = true;
  let isForgotten = false;
  Object.assign(client, { onclose: () => (isOpen = false), onerror: () => undefined });
  const failed = async (what: string, cause: unknown): Promise<ToolError> => {
    const reason = (await login?.problemOf(cause)) ?? failureReason(transport, cause);
    const problem = truncateMiddle(mask(redactor.text(reason)), maxProblem, () => ' … ');
    return new ToolError('unusable', `The server ${name} ${what}. ${problem}`, { cause });
  };
  const close = async (): Promise<void> => {
    await client.close().catch(() => undefined);
    await transport.close().catch(() => undefined);
  };
  const startTimeout = Math.min(server.startMs ?? Math.max(timeout, startMs), maxTimeoutMs);
  const late = AbortSignal.timeout(Math.ceil(startTimeout));
  // Ended below: the client waits for the response to a note without a limit, and whatever the signal.
  const start = async (): Promise<ListedTools> => {
    await client.connect(transport, { timeout: noTimeout });
    return listTools(client, { timeout: noTimeout });
  };
  const { tools, problems } = await unlessAborted(start(), signal ? AbortSignal.any([signal, late]) : late).catch(
    async (error: unknown) => {
      await close();
      throw await failed('could not be started', error);
    },
  );
  budget.end();
  const request: ServerRequest = async (what, caller, send) => {
    try {
      return mask(await operations.run(caller, async (ends) => send({ timeout: noTimeout, signal: ends })));
    } catch (error) {
      if (caller.aborted) throw caller.reason;
      if (hasForgotten(transport, error)) [isOpen, isForgotten] = [false, true];
      throw await failed(isOpen ? `failed to answer ${what}` : `has ended during ${what}`, error);
    }
  };
  return {
    ...connectionOffers(client, request, redactor),
    ...changingTools(client, { request, budget, tools: mask(tools) }),
    problems: problems.map((problem) => mask(redactor.text(`The server ${name}: ${problem}`))),
    get isOpen() {
      return isOpen;
    },
    get isForgotten() {
      return isForgotten;
    },
    async call(tool, input, calling, key) {
      const meta = key === undefined ? {} : { _meta: { [keyOfCall]: key } };
      const params = { name: tool, arguments: { ...input }, ...meta };
      return request(`a call of ${tool}`, calling, async (limit) =>
        operations.afterAddresses(calling, async () => client.callTool(params, limit)),
      );
    },
    close,
  };
}

/** Name of the key of a call in its `_meta`. @see https://modelcontextprotocol.io/specification/2025-11-25/basic */
const keyOfCall = 'varve/idempotency-key';

function answerQuestions(client: Client, operations: Operations): void {
  client.registerCapabilities({ elicitation: { form: {}, url: {} } });
  client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }) =>
    operations.answer(params, mcpReq.signal),
  );
}

/**
 * Reports whether an error is the answer to a session that the server does not know: 404, or 400 of servers that read
 * it as a request without one. Neither executes the request.
 */
function hasForgotten(transport: Transport, error: unknown): boolean {
  if (!SdkHttpError.isInstance(error) || (error.status !== 404 && error.status !== 400)) return false;
  return transport instanceof StreamableHTTPClientTransport && transport.sessionId !== undefined;
}

interface ListedAtStart {
  readonly request: ServerRequest;
  readonly budget: StartBudget;
  readonly tools: readonly McpToolDescription[];
}

/** Returns the tools of the start, and what lists them again after the server reported a change. */
function changingTools(
  client: Client,
  { request, budget, tools }: ListedAtStart,
): Pick<McpConnection, 'tools' | 'listedTools'> {
  let listed = tools;
  let isListed = true;
  client.setNotificationHandler('notifications/tools/list_changed', () => {
    isListed = false;
  });
  return {
    tools,
    async listedTools(caller) {
      if (isListed) return listed;
      isListed = true;
      budget.start();
      try {
        listed = (await request('a list of tools', caller, async (limit) => listTools(client, limit))).tools;
      } catch (error) {
        // Those that it had are kept.
        if (!(error instanceof ToolError)) throw error;
      } finally {
        budget.end();
      }
      return listed;
    },
  };
}

/**
 * Accepts all data of a result. The schema is of the server too: a check would compile it to code, run its patterns,
 * which can take exponential time, and print what it does not know.
 */
function accepted<Data>(data: unknown): JsonSchemaValidatorResult<Data> {
  return { valid: true, data: data as Data, errorMessage: undefined };
}

/** Settles as the promise does, or rejects when the signal aborts. */
async function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(new Error('It did not answer in time.', { cause: signal.reason }));
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function transportOf(
  server: McpServer,
  { env, sandbox }: ConnectOptions,
  { budget, login }: { readonly budget: StartBudget; readonly login: StoredLogin | undefined },
): Transport {
  return server.transport === 'stdio'
    ? new ProcessTransport(server, shellEnvironment({ inherited: env, own: server.env }), budget, sandbox)
    : addressTransport(server, budget, login);
}
