import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Observation } from '@varve/events/payloads';
import type { Tool } from '../contract/tool.ts';

/** Options of a call of {@link OpenedTool}. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onOutput?: (chunk: string) => void;
}

/** Tool with its own empty workspace. Disposing closes the tool and removes the workspace. */
export interface OpenedTool<Made extends Tool = Tool> extends AsyncDisposable {
  /** Absolute path with links resolved. */
  readonly workspace: string;
  readonly tool: Made;
  /** Parses an input as an agent would, and executes it. */
  readonly call: (input: unknown, options?: CallOptions) => Promise<Observation>;
}

/** Opens a tool in a new workspace, for a test. A function makes the tool for that workspace. */
export async function openedTool<Made extends Tool>(
  made: Made | ((workspace: string) => Made | Promise<Made>),
): Promise<OpenedTool<Made>> {
  const workspace = await realpath(await mkdtemp(join(tmpdir(), 'varve-workspace-')));
  const tool = typeof made === 'function' ? await made(workspace) : made;
  const shownFiles = new Map<string, string>();
  let calls = 0;
  return {
    workspace,
    tool,
    call(input, { signal = new AbortController().signal, onOutput } = {}) {
      calls += 1;
      return tool.execute(tool.parse(input), {
        workspace,
        signal,
        shownFiles,
        idempotencyKey: `call-${calls}`,
        ...(onOutput && { onOutput }),
      });
    },
    async [Symbol.asyncDispose]() {
      await tool.close?.();
      await rm(workspace, { recursive: true, force: true });
    },
  };
}
