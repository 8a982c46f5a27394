import { Readable, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { appVersion } from '../home/app-file.ts';
import type { RunOptions } from '../opening/run-options.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { onInterrupt } from '../terminal/signals.ts';
import { TaskRuns } from './task-runs.ts';
import { addApprovalTools, addReadingTools, addRunningTools } from './task-tools.ts';

/** Options of `varve mcp-server`. */
export interface McpServerOptions extends RunOptions {
  /** False with `--no-approvals`. */
  readonly approvals: boolean;
}

const instructions =
  'A coding agent that works in a directory and records every step. Start a task, wait for its end with task_status, ' +
  'show the user the calls that wait, and decide about them only as the user asks.';

/** Serves a client on standard input and output until it closes them. Runs that are in progress are interrupted. */
export async function serveClient({ approvals, ...options }: McpServerOptions, io: TerminalIo): Promise<void> {
  using ending = new DisposableStack();
  await using runs = new TaskRuns(options, io);
  const input = Readable.from(io.stdin);
  const output = new Writable({
    write(chunk: Buffer, _encoding, written) {
      io.stdout.jsonLine(chunk.toString().trimEnd());
      written();
    },
  });
  const server = serveStdio(
    () => {
      const created = new McpServer({ name: 'varve', version: appVersion() }, { instructions });
      addRunningTools(created, runs);
      addReadingTools(created, runs);
      if (approvals) addApprovalTools(created, runs);
      return created;
    },
    { transport: new StdioServerTransport(input, output) },
  );
  const closed = finished(input, { writable: false }).catch(() => undefined);
  onInterrupt({ pause: () => input.destroy(), stop: () => input.destroy() }, ending);
  await closed;
  await server.close();
}
