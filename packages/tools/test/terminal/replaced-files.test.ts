import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSandbox, sandboxProblem } from '@varve/sandbox';
import { openedTool } from '../../src/testing/opened-tool.ts';
import { terminal } from '../../src/terminal/terminal.ts';
import { metadataOf, outputOf } from '../support/open-terminal.ts';

const problem = await sandboxProblem();
if (problem !== undefined) process.stderr.write(`NOT TESTED: files that are replaced outside. ${problem}\n`);

/** Opens a terminal whose sandbox protects the file `config`. */
async function openProtected(stack: DisposableStack) {
  return openedTool((workspace) => {
    const file = join(workspace, 'config');
    writeFileSync(file, 'of the user\n');
    const policy = { profile: 'test', writable: [workspace], readOnly: [file], hidden: [], network: 'off' } as const;
    return terminal({ pty: false, sandbox: stack.adopt(openSandbox(policy), (sandbox) => sandbox.close()) });
  });
}

test.skipIf(problem !== undefined)('a shell ends when a file that its sandbox protects is replaced', async () => {
  using stack = new DisposableStack();
  await using opened = await openProtected(stack);
  const file = join(opened.workspace, 'config');
  const replaced = 'A program outside replaced a file that the sandbox protects';
  const first = await opened.call({ command: 'KEPT=1; sleep 1000 & echo evil >>config' });
  expect(outputOf(first)).toContain('Read-only file system');
  expect(metadataOf(first).suffix).not.toContain(replaced);
  writeFileSync(`${file}.lock`, 'changed by the user\n');
  renameSync(`${file}.lock`, file);
  const second = await opened.call({ command: 'jobs; echo "$KEPT"; echo evil >>config' });
  expect(outputOf(second)).toMatch(/^1\n.*Read-only file system/);
  expect(metadataOf(second).suffix).toContain(replaced);
  expect(readFileSync(file, 'utf8')).toBe('changed by the user\n');
  expect(metadataOf(await opened.call({ command: 'true' })).suffix).toBe('[The command has finished.]');
});

test.skipIf(problem !== undefined)('the end of a shell that was killed is reported, and is no hole', async () => {
  using stack = new DisposableStack();
  await using opened = await openProtected(stack);
  process.kill(metadataOf(await opened.call({ command: 'export KEPT=1' })).pid, 'SIGKILL');
  const suffix = async (): Promise<string> => metadataOf(await opened.call({ command: '' })).suffix;
  await expect.poll(suffix, { interval: 10, timeout: 20_000 }).toContain('are there again');
  expect(outputOf(await opened.call({ command: 'echo "$KEPT"' }))).toBe('1');
});
