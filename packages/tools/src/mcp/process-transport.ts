import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import {
  deserializeMessage,
  serializeMessage,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import { exceededJsonLimit } from '@varve/text';
import { programIn, type ProgramSandbox } from '../processes/program-sandbox.ts';
import { sendSignal } from '../processes/signals.ts';
import { maxMessageBytes, messageJson, messageOverLimit, StartBudget } from './message-limits.ts';
import type { McpProcess } from './mcp-server.ts';

/** Time for a server to end by itself after its input was closed, and again after SIGTERM. */
const graceMs = 1000;

/** Length of the standard error that is kept for a message, in characters. */
const keptStderr = 2000;

const lineFeed = 10;

/**
 * Connection to a server that runs as a process group of its own: launchers such as `npx` start the server as a further
 * process, which has to end with them. Its environment is complete; nothing of this process is added.
 *
 * @see StdioClientTransport of `@modelcontextprotocol/client`, which ends the first process only
 */
export class ProcessTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #server: McpProcess;
  readonly #env: Readonly<Record<string, string>>;
  readonly #budget: StartBudget;
  readonly #sandbox: ProgramSandbox | undefined;
  /** Pieces of the line that has not ended. */
  #pieces: Buffer[] = [];
  #size = 0;
  readonly #ended = Promise.withResolvers<void>();
  #child: ChildProcessWithoutNullStreams | undefined;
  #closing: Promise<void> | undefined;
  #stderr = '';
  #problem: string | undefined;

  constructor(
    server: McpProcess,
    env: Readonly<Record<string, string>>,
    budget = new StartBudget(),
    sandbox?: ProgramSandbox,
  ) {
    this.#server = server;
    this.#env = env;
    this.#budget = budget;
    this.#sandbox = sandbox;
  }

  /** End of what the server has written to its standard error. */
  get stderr(): string {
    return this.#stderr.trim();
  }

  /** Returns what the sandbox has refused to the server, by what it printed. */
  get refusal(): string | undefined {
    return this.#sandbox?.describeRefusals(this.#stderr, this.#server.directory)?.text;
  }

  /** Why the connection was closed, if the server exceeded a limit. */
  get problem(): string | undefined {
    return this.#problem;
  }

  async start(): Promise<void> {
    const { command, args, directory } = this.#server;
    const { program, ...wrapped } = programIn(this.#sandbox, [command, ...args], { directory, env: this.#env });
    const child = spawn(program, wrapped.args, { cwd: directory, env: wrapped.env, stdio: 'pipe', detached: true });
    this.#child = child;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    child.once('spawn', resolve);
    child.once('error', (error) => {
      reject(error);
      this.#end();
    });
    child.once('close', () => this.#end());
    child.stdin.on('error', (error) => this.onerror?.(error));
    child.stdout.on('data', (chunk: Buffer) => this.#receive(chunk));
    child.stderr.on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString()).slice(-keptStderr);
    });
    await promise;
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const input = this.#child?.stdin;
    if (!input?.writable) throw new Error('The server has ended.');
    if (input.writableLength > maxMessageBytes) {
      this.#problem = 'It does not read what is sent to it.';
      void this.close();
      throw new Error(this.#problem);
    }
    // A server that reads nothing keeps no call waiting: each has a time limit.
    input.write(serializeMessage(message));
  }

  /** Closes the input of the server, then ends its process group. Resolves when it has ended. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined) return;
    const { pid } = child;
    child.stdin.end();
    const timers = [
      setTimeout(() => sendSignal(-pid, 'SIGTERM'), graceMs),
      setTimeout(() => {
        sendSignal(-pid, 'SIGKILL');
        // A program that left the group may keep the pipes open.
        for (const stream of [child.stdout, child.stderr]) stream.destroy();
      }, 2 * graceMs),
    ];
    await this.#ended.promise;
    timers.forEach(clearTimeout);
    // The server may have ended before a program that it started.
    sendSignal(-pid, 'SIGKILL');
  }

  #receive(chunk: Buffer): void {
    if (this.#closing) return;
    try {
      this.#budget.take(chunk.length);
      let start = 0;
      for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
        this.#keep(chunk.subarray(start, end));
        this.#endLine();
        start = end + 1;
      }
      this.#keep(chunk.subarray(start));
    } catch (error) {
      this.#problem ??= error instanceof Error ? error.message : String(error);
      this.#fail(error);
      void this.close();
    }
  }

  #keep(piece: Buffer): void {
    this.#size += piece.length;
    if (this.#size > maxMessageBytes) throw messageOverLimit('bytes');
    if (piece.length > 0) this.#pieces.push(piece);
  }

  /** Reads the line that has ended. One that is no message is skipped: some servers print there. */
  #endLine(): void {
    const [first, ...others] = this.#pieces;
    const line = (others.length === 0 ? first : Buffer.concat(this.#pieces))?.toString().trim() ?? '';
    this.#pieces = [];
    this.#size = 0;
    if (!line.startsWith('{')) return;
    const limit = exceededJsonLimit(line, messageJson);
    if (limit) throw messageOverLimit(limit);
    const message = this.#parse(line);
    if (message) this.onmessage?.(message);
  }

  #parse(line: string): JSONRPCMessage | undefined {
    try {
      return deserializeMessage(line);
    } catch (error) {
      this.#fail(error);
      return undefined;
    }
  }

  #fail(error: unknown): void {
    this.onerror?.(error instanceof Error ? error : new Error(String(error)));
  }

  #end(): void {
    this.#ended.resolve();
    this.onclose?.();
  }
}
