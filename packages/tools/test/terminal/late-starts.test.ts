import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { terminal } from '../../src/terminal/terminal.ts';
import { outputOf } from '../support/open-terminal.ts';

test.for<readonly [before: string, checks: number]>([
  ['true', 1],
  ['exec true', 1],
  // The shell does not run the next command, so that another one would.
  ['readonly __varve_id', 2],
])('after %j, a command whose conversation is taken over before it starts does not run', async ([before, last]) => {
  await using workspace = await mkdtempDisposable(join(tmpdir(), 'varve-late-'));
  const tool = terminal({ pty: false });
  const shared = { workspace: workspace.path, signal: new AbortController().signal, idempotencyKey: 'key' };
  const call = async (command: string, context = {}) =>
    tool.execute(tool.parse({ command, timeout: 20 }), { ...shared, ...context });
  try {
    await call(before);
    let checks = 0;
    const checkLease = async (): Promise<void> => {
      checks += 1;
      if (checks === last) throw new Error('The conversation was taken over.');
    };
    await expect(call('touch late', { checkLease })).rejects.toThrow('taken over');
    expect(checks).toBe(last);
    expect(outputOf(await call('ls'))).toBe('');
  } finally {
    await tool.close();
  }
});
