import { existsSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { textOf } from '@varve/events';
import { expect, test } from 'vitest';
import { searchedMachines } from '../../test/support/machines.ts';
import { writeFiles } from '../../test/support/write-files.ts';
import type { Tool } from '../contract/tool.ts';
import { openedTool, type OpenedTool } from '../testing/opened-tool.ts';
import { localWorkspace } from '../workspace/local-workspace.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { SearchOptions } from './file-search.ts';
import { glob } from './glob.ts';
import { grep } from './grep.ts';

/** Opens a search on an agent-server, where `rg` is this script, if there is one. */
async function searchThere(tool: (options: SearchOptions) => Tool, script?: string): Promise<OpenedTool> {
  return openedTool(async (directory) => {
    const options = await searchedMachines['an agent-server']?.(directory);
    const rg = join(directory, 'rg');
    if (script === undefined) return tool({ ...options });
    await writeFile(rg, `#!/bin/sh\n${script}\n`);
    await chmod(rg, 0o755);
    return tool({ ...options, ripgrep: rg });
  });
}

const hostile = ['; touch made;', '$(touch made)', '`touch made`', "'; touch made; '", '"\n touch made\n"', '-f./made'];

test.for(hostile)('the shell of the other machine runs no part of %j', async (words) => {
  await using found = await searchThere(grep);
  await writeFiles(found.workspace, { [`${words}/${words}`]: words });
  const named = { pattern: 'made', path: words, include: words };
  expect(await found.call(named)).toMatchObject({ matches: [join(found.workspace, words, words)] });
  for (const raw of [
    { ...named, pattern: words },
    { ...named, path: `missing${words}` },
  ])
    await found.call(raw);
  await using files = await searchThere(glob);
  for (const raw of [{ pattern: words }, { pattern: '*', path: words }]) await files.call(raw);
  for (const { workspace } of [found, files]) {
    expect(['', words].map((at) => existsSync(join(workspace, at, 'made')))).toEqual([false, false]);
  }
});

test('quoted names and a quoted pattern fit into a command of the other machine', async () => {
  await using found = await searchThere(grep);
  const names = Array.from({ length: 100 }, (_, n) => `${"'".repeat(245)}${n}`);
  await writeFiles(found.workspace, Object.fromEntries(names.map((name) => [name, 'made'])));
  const observation = await found.call({ pattern: `made|${"'".repeat(9000)}` });
  expect(observation).toMatchObject({ is_error: false, truncated: false });
  expect(textOf(observation.content)).toContain(':1: made');
});

test('an output without an end is cut', async () => {
  await using files = await searchThere(glob, String.raw`yes "$(printf '%0200d' 1)" | tr '\n' '\0'`);
  const observation = await files.call({ pattern: '*' });
  expect(observation).toMatchObject({ is_error: false, truncated: true });
  expect(textOf(observation.content)).toMatch(/^2086\d or more files match/);
});

test('a failure there is shown, and one after matches is not an error', async () => {
  await using failing = await searchThere(glob, 'echo "not permitted" >&2; exit 2');
  const failed = await failing.call({ pattern: '*' });
  expect(failed).toMatchObject({ is_error: true });
  expect(textOf(failed.content)).toBe('The search failed: not permitted');
  await using partly = await searchThere(glob, String.raw`printf 'a\0'; echo "not permitted" >&2; exit 2`);
  expect(await partly.call({ pattern: '*' })).toMatchObject({ is_error: false, files: [join(partly.workspace, 'a')] });
});

test.for([
  ['the lookup of its path', 'readlink'],
  ['itself', 'started'],
])('a cancelled search cancels %s there', async ([, part = '']) => {
  const controller = new AbortController();
  const local = localWorkspace('/');
  const cancelled: string[] = [];
  await using files = await openedTool((directory) => {
    const execute: Workspace['execute'] = async (command, options) => {
      if (command.includes(part)) controller.abort();
      return local.execute(command, options).catch((error: unknown) => {
        cancelled.push(command);
        throw error;
      });
    };
    return glob({ workspace: { ...local, directory, execute }, ripgrep: 'started' });
  });
  await expect(files.call({ pattern: '*' }, { signal: controller.signal })).rejects.toMatchObject({ code: 'aborted' });
  expect(cancelled).toEqual([expect.stringContaining(part)]);
});
