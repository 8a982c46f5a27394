import { ToolError } from '../contract/error.ts';
import type { ToolContext } from '../contract/tool.ts';
import type { McpConnection } from './mcp-connection.ts';
import type { McpResult } from './mcp-content.ts';
import type { McpToolDescription } from './mcp-server.ts';

/** Number of times that a server which has ended is started again. */
const maxRestarts = 3;

/** Connection of one conversation to one server, which its tools share. */
export class McpSession {
  readonly #connect: (signal: AbortSignal) => Promise<McpConnection>;
  #connection: Promise<McpConnection> | undefined;
  #restarts = 0;
  #users = 0;

  /** @param connect - Starts the server; called with the first call, and again after the server has ended. */
  constructor(connect: (signal: AbortSignal) => Promise<McpConnection>, connected?: McpConnection) {
    this.#connect = connect;
    this.#connection = connected && Promise.resolve(connected);
  }

  /** Closes the server unless a tool uses it. */
  async closeUnused(): Promise<void> {
    if (this.#users === 0) await (await this.#connection?.catch(() => undefined))?.close();
  }

  /** Counts a tool that uses the session. Returns the function that ends its use; the last one closes the server. */
  use(): () => Promise<void> {
    this.#users++;
    return async () => {
      this.#users -= 1;
      await this.closeUnused();
    };
  }

  /** Calls a tool. @throws as `McpConnection.call`, and {@link ToolError} `unusable` if the server does not start. */
  async call(
    tool: string,
    input: Readonly<Record<string, unknown>>,
    {
      signal,
      checkLease,
      idempotencyKey,
    }: Pick<ToolContext, 'signal' | 'checkLease'> & Partial<Pick<ToolContext, 'idempotencyKey'>>,
  ): Promise<McpResult> {
    return this.ask(signal, async (connection) => {
      await checkLease?.();
      return connection.call(tool, input, signal, idempotencyKey);
    });
  }

  /** Sends a request; once more over a new connection if the server has forgotten the session of the first. */
  async ask<T>(signal: AbortSignal, request: (connection: McpConnection) => Promise<T>): Promise<T> {
    const connection = await this.#opened(signal);
    try {
      return await request(connection);
    } catch (error) {
      // Such a request was not executed.
      if (!connection.isForgotten) throw error;
      return request(await this.#opened(signal));
    }
  }

  /** Returns the tools that the server lists now; undefined while it does not run. */
  async listedTools(signal: AbortSignal): Promise<readonly McpToolDescription[] | undefined> {
    const connection = await this.#connection?.catch(() => undefined);
    return connection?.isOpen ? connection.listedTools(signal) : undefined;
  }

  /** Returns an open connection: that of the last call, or a new one. @throws {ToolError} `unusable`. */
  async #opened(signal: AbortSignal): Promise<McpConnection> {
    const last = this.#connection;
    const before = await last?.catch(() => undefined);
    if (before?.isOpen) return before;
    // Another call has replaced it while this one waited.
    if (last !== this.#connection) return this.#opened(signal);
    if (before && !before.isForgotten && ++this.#restarts > maxRestarts)
      throw new ToolError('unusable', `The server has ended ${this.#restarts} times, and is not started again.`);
    this.#connection = this.#replaced(before, signal);
    return this.#connection;
  }

  async #replaced(before: McpConnection | undefined, signal: AbortSignal): Promise<McpConnection> {
    await before?.close();
    return this.#connect(signal);
  }
}
