import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { ToolError } from '../contract/error.ts';
import type { AgentServer } from './agent-server.ts';
import { cappedOutput } from './capped-output.ts';
import { defaultTimeoutMs, mostOutput } from './limits.ts';
import type { CommandOptions, CommandResult } from './workspace.ts';

/** How a server is asked for what a command wrote. */
export interface PollOptions {
  /** Between two questions. */
  readonly pollMs: number;
  /** How long the end of a command may be late. */
  readonly patienceMs: number;
}

const started = z.looseObject({ id: z.string() });
const output = z.looseObject({
  kind: z.string(),
  command_id: z.string().nullish(),
  order: z.number().default(0),
  exit_code: z.number().nullish(),
  stdout: z.string().nullish(),
  stderr: z.string().nullish(),
});
type Output = z.infer<typeof output>;
const page = z.looseObject({ items: z.array(output), next_page_id: z.string().nullish() });

/**
 * Runs a command by the server's bash routes. Its limit is in whole seconds there, rounded up. A command that is cancelled is not
 * waited for, and ends at its limit: the protocol has no way to stop it.
 *
 * @throws {ToolError} `invalid-input` when it could not be started in the directory; what the server throws; `aborted`.
 */
export async function remoteCommand(
  server: AgentServer,
  command: string,
  directory: string,
  { timeoutMs = defaultTimeoutMs, signal, pollMs, patienceMs }: CommandOptions & PollOptions,
): Promise<CommandResult> {
  const begin = performance.now();
  const timeout = Math.max(1, Math.ceil(timeoutMs / 1000));
  const { id } = await server.json(started, '/api/bash/start_bash_command', {
    method: 'POST',
    body: { command, cwd: directory, timeout },
    signal,
  });
  const stdout = cappedOutput(mostOutput);
  const stderr = cappedOutput(mostOutput);
  const waiting = new Map<number, Output>();
  for (let next = 0; ;) {
    for (const item of await outputsAfter(server, id, next - 1, signal)) waiting.set(item.order, item);
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
    if (performance.now() - begin > timeout * 1000 + patienceMs) {
      stderr.push(Buffer.from('[The server has not told how the command ended]\n'));
      return { exitCode: -1, stdout: stdout.text(), stderr: stderr.text(), timedOut: true };
    }
    await delay(pollMs, undefined, { ...(signal && { signal }) }).catch((cause: unknown) => {
      throw new ToolError('aborted', 'The command was cancelled.', { cause });
    });
  }
}

/** The outputs of one command on all pages; the server may apply `order__gt` within a page, so an empty one is not the last. */
async function outputsAfter(
  server: AgentServer,
  id: string,
  order: number,
  signal: AbortSignal | undefined,
): Promise<readonly Output[]> {
  const found: Output[] = [];
  const seen = new Set<string>();
  for (let pageId: string | undefined; ;) {
    const { items, next_page_id } = await server.json(page, '/api/bash/bash_events/search', {
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
    found.push(...items.filter(({ kind, command_id }) => kind === 'BashOutput' && sameId(command_id, id)));
    // A page that is unknown to the server is the first one again.
    if (next_page_id === undefined || next_page_id === null || seen.has(next_page_id)) return found;
    seen.add(next_page_id);
    pageId = next_page_id;
  }
}

/** With or without hyphens. */
function sameId(one: string | null | undefined, other: string): boolean {
  return one?.replaceAll('-', '') === other.replaceAll('-', '');
}
