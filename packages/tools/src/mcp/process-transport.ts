import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { ReadBuffer, serializeMessage, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import { sendSignal } from '../processes/signals.ts';
import { maxMessageBytes } from './limited-fetch.ts';
import type { McpProcess } from './mcp-server.ts';

/** Time for a server to end by itself after its input was closed, and again after SIGTERM. */
const graceMs = 1000;

/** Length of the standard error that is kept for a message, in characters. */
const keptStderr = 2000;

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
  readonly #buffer = new ReadBuffer({ maxBufferSize: maxMessageBytes });
  readonly #ended = Promise.withResolvers<void>();
  #child: ChildProcessWithoutNullStreams | undefined;
  #closing: Promise<void> | undefined;
  #stderr = '';

  constructor(server: McpProcess, env: Readonly<Record<string, string>>) {
    this.#server = server;
    this.#env = env;
  }

  /** End of what the server has written to its standard error. */
  get stderr(): string {
    return this.#stderr.trim();
  }

  async start(): Promise<void> {
    const { command, args, directory } = this.#server;
    const child = spawn(command, [...args], { cwd: directory, env: this.#env, stdio: 'pipe', detached: true });
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
    try {
      this.#buffer.append(chunk);
      for (let message = this.#next(); message; message = this.#next()) this.onmessage?.(message);
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      void this.close();
    }
  }

  /** Returns the next message. Lines that are none are skipped: some servers print there. */
  #next(): JSONRPCMessage | undefined {
    for (;;) {
      try {
        return this.#buffer.readMessage() ?? undefined;
      } catch (error) {
        this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      }
    }
  }

  #end(): void {
    this.#ended.resolve();
    this.onclose?.();
  }
}
