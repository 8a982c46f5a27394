import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { scriptedServer, type ScriptedTurn } from '@varve/llm/testing';
import { expect, test } from 'vitest';
import { newHome, runVarve } from './run-varve.ts';

const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };
const skillText = (name: string): string => `---\nname: ${name}\ndescription: Describes ${name}-needle.\n---\nText.`;

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

test('a skill is installed from a directory, listed, used by the agent, and removed', async () => {
  const home = await newHome();
  await write(join(home, 'sources/greet/SKILL.md'), skillText('greet'));
  await using server = await scriptedServer([done, done]);
  const run = () => runVarve(['run', '--base-url', server.url, '--model', 'm', '--store', 'memory:', 'Go.'], { home });
  const varve = (...args: readonly string[]) => runVarve(args, { home });
  expect(await varve('skill', 'install', 'sources/greet')).toMatchObject({ code: 0, stdout: 'greet\n' });
  expect((await varve('skill')).stdout).toContain('greet  1.0.0  sources/greet');
  const again = await varve('skill', 'install', 'sources/greet');
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('is installed')]);
  expect((await varve('skill', 'install', 'sources/greet', '--force')).code).toBe(0);
  await run();
  expect(server.requests[0]?.text).toContain('greet-needle');
  expect((await varve('skill', 'rm', 'greet')).code).toBe(0);
  expect((await varve('skill', 'list')).stdout).toBe('');
  await run();
  expect(server.requests[1]?.text).not.toContain('greet-needle');
  expect((await varve('skill', 'rm', 'greet')).code).toBe(2);
});

test('the agent has the skills of an installed plugin, unless the plugin is disabled', async () => {
  const home = await newHome();
  const source = join(home, 'sources/kit');
  await write(join(source, '.plugin/plugin.json'), JSON.stringify({ name: 'kit', version: '1.2.0' }));
  await write(join(source, 'skills/wave/SKILL.md'), skillText('wave'));
  await using server = await scriptedServer([done, done]);
  const run = () => runVarve(['run', '--base-url', server.url, '--model', 'm', '--store', 'memory:', 'Go.'], { home });
  const varve = (...args: readonly string[]) => runVarve(args, { home });
  expect(await varve('plugin', 'install', source)).toMatchObject({ code: 0, stdout: 'kit\n' });
  expect((await varve('plugin')).stdout).toContain('kit  1.2.0');
  await run();
  expect(server.requests[0]?.text).toContain('wave-needle');
  await varve('config', 'set', 'plugins.disabled', '["kit"]');
  expect((await varve('plugin')).stdout).toContain('disabled');
  await run();
  expect(server.requests[1]?.text).not.toContain('wave-needle');
  expect((await varve('plugin', 'rm', 'kit')).code).toBe(0);
  expect((await varve('config', 'get', 'plugins.disabled')).stdout).not.toContain('kit');
});
