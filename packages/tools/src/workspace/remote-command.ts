import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { lazy } from '@varve/events';
import { ToolError } from '../contract/error.ts';
import type { AgentServer } from './agent-server.ts';
import { cappedOutput } from './capped-output.ts';
import { defaultTimeoutMs, maxOutputBytes } from './limits.ts';
import type { CommandOptions, CommandResult } from './workspace.ts';

/** Options of polling a server for the output of a command. */
export interface PollOptions {
  /** Interval between two requests. */
  readonly pollMs: number;
  /** Time to wait for the result after the timeout of a command. */
  readonly patienceMs: number;
}

const started = lazy(() => z.looseObject({ id: z.string() }));
const output = lazy(() =>
  z.looseObject({
    kind: z.string(),
    command_id: z.string().nullish(),
    order: z.int().default(0),
    exit_code: z.number().nullish(),
    stdout: z.string().nullish(),
    stderr: z.string().nullish(),
  }),
);
type Output = z.infer<ReturnType<typeof output>>;
const page = lazy(() => z.looseObject({ items: z.array(output()), next_page_id: z.string().nullish() }));

/**
 * Runs a command through the server's bash routes. Its timeout is rounded up to whole seconds. A cancelled command is
 * abandoned and ends at its timeout, because the protocol cannot stop it.
 *
 * @throws {ToolError} `invalid-input` when the command could not be started in the directory; errors of the server;
 * `aborted`.
 */
export async function remoteCommand(
  server: AgentServer,
  command: string,
  directory: string,
  { timeoutMs = defaultTimeoutMs, signal, pollMs, patienceMs }: CommandOptions & PollOptions,
): Promise<CommandResult> {
  const begin = performance.now();
  const timeout = Math.max(1, Math.ceil(timeoutMs / 1000));
  const { id } = await server.json(started(), '/api/bash/start_bash_command', {
    method: 'POST',
    body: { command, cwd: directory, timeout },
    signal,
  });
  const stdout = cappedOutput(maxOutputBytes);
  const stderr = cappedOutput(maxOutputBytes);
  const deadline = begin + timeout * 1000 + patienceMs;
  const waiting = new Map<number, Output>();
  for (let next = 0; ;) {
    for (const item of await outputsAfter(server, { id, order: next - 1, deadline, signal })) {
      if (item.order >= next) waiting.set(item.order, item);
    }
    for (let item = waiting.get(next); item !== undefined; item = waiting.get(next)) {
      waiting.delete(next);
      next += 1;
      stdout.push(Buffer.from(item.stdout ?? ''));
      stderr.push(Buffer.from(item.stderr ?? ''));
      const code = item.exit_code ?? undefined;
      if (code === undefined) continue;
      const timedOut = code === -1 && performance.now() - begin >= timeoutMs;
      if (code === -1 && !timedOut)
        throw new ToolError('invalid-input', `The command could not be run in ${directory}: ${stderr.text().trim()}`);
      return { exitCode: code < -1 ? 128 - code : code, stdout: stdout.text(), stderr: stderr.text(), timedOut };
    }
    checkWaiting(waiting);
    if (performance.now() > deadline) {
      stderr.push(Buffer.from('[The server has not reported the end of the command]\n'));
      return { exitCode: -1, stdout: stdout.text(), stderr: stderr.text(), timedOut: true };
    }
    await delay(pollMs, undefined, { ...(signal && { signal }) }).catch((cause: unknown) => {
      throw new ToolError('aborted', 'The command was cancelled.', { cause });
    });
  }
}

/** Most pages of one search, and the number and length in characters of the outputs that wait for an earlier one. */
const maxPages = 1000;
const maxWaiting = 100_000;
const maxLength = 16_000_000;

/** Fails when the outputs of a server have gaps: they would fill the memory until the command ends. */
function checkWaiting(waiting: ReadonlyMap<number, Output>): void {
  const length = waiting.values().reduce((sum, item) => sum + textOf(item).length, 0);
  if (waiting.size <= maxWaiting && length <= maxLength) return;
  throw new ToolError('unusable', 'The server reported outputs of the command with gaps.');
}

const textOf = ({ stdout, stderr }: Output): string => `${stdout ?? ''}${stderr ?? ''}`;

/** Query of {@link outputsAfter}. */
interface OutputsQuery {
  /** Id of the command. */
  readonly id: string;
  /** Order of the last known output, or -1. */
  readonly order: number;
  /** Monotonic milliseconds after which no further page is requested. */
  readonly deadline: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Returns the outputs of one command from all pages. The server may apply `order__gt` within a page, so that any may be
 * empty.
 */
async function outputsAfter(
  server: AgentServer,
  { id, order, deadline, signal }: OutputsQuery,
): Promise<readonly Output[]> {
  const outputs: Output[] = [];
  const seen = new Set<string>();
  let length = 0;
  for (let pageId: string | undefined; ;) {
    const { items, next_page_id } = await server.json(page(), '/api/bash/bash_events/search', {
      query: {
        command_id__eq: id,
        kind__eq: 'BashOutput',
        sort_order: 'TIMESTAMP',
        limit: 100,
        order__gt: order < 0 ? undefined : order,
        page_id: pageId,
      },
      signal,
    });
    outputs.push(...items.filter(({ kind, command_id }) => kind === 'BashOutput' && sameId(command_id, id)));
    // For an unknown page id the server returns the first page again.
    if (next_page_id === undefined || next_page_id === null || seen.has(next_page_id)) return outputs;
    // The next search begins after what was found.
    length += JSON.stringify(items).length;
    if (seen.size >= maxPages || length > maxLength || performance.now() > deadline) return outputs;
    seen.add(next_page_id);
    pageId = next_page_id;
  }
}

/** Compares two ids, with or without hyphens. */
function sameId(a: string | null | undefined, b: string): boolean {
  return a?.replaceAll('-', '') === b.replaceAll('-', '');
}
