import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Observation } from '@varve/events/payloads';
import type { Tool } from '../contract/tool.ts';

/** What a call of an {@link OpenedTool} may add. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onOutput?: (chunk: string) => void;
}

/** A tool with an empty workspace of its own. Disposing closes the tool and removes the workspace. */
export interface OpenedTool extends AsyncDisposable {
  /** Absolute, resolved. */
  readonly workspace: string;
  readonly tool: Tool;
  /** Parses an input as an agent would, and executes it. */
  readonly call: (input: unknown, options?: CallOptions) => Promise<Observation>;
}

/** Opens a tool for a test. */
export async function openedTool(tool: Tool): Promise<OpenedTool> {
  const workspace = await realpath(await mkdtemp(join(tmpdir(), 'varve-workspace-')));
  let calls = 0;
  return {
    workspace,
    tool,
    call(input, { signal = new AbortController().signal, onOutput } = {}) {
      calls += 1;
      return tool.execute(tool.parse(input), {
        workspace,
        signal,
        idempotencyKey: `call-${calls}`,
        ...(onOutput && { onOutput }),
      });
    },
    async [Symbol.asyncDispose]() {
      await tool.close();
      await rm(workspace, { recursive: true, force: true });
    },
  };
}
