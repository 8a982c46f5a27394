import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { scriptedServer } from '@varve/llm/testing';
import { expect, test } from 'vitest';
import { newHome, runVarve } from './run-varve.ts';

test('three answers make a profile that a run uses', async () => {
  const home = await newHome();
  await using server = await scriptedServer([{ text: 'Done.' }]);
  const { code, stderr } = await runVarve(['init'], { home, stdin: `${server.url}\nm\n` });
  expect([code, stderr]).toEqual([0, expect.stringContaining('Saved the profile 127.0.0.1')]);
  const run = await runVarve(['run', 'Hi.'], { home });
  expect([run.code, run.stdout]).toEqual([0, 'Done.\n']);
});

test('a typed key is stored encrypted, and sent to its server only', async () => {
  const home = await newHome();
  const stdin = 'sk-typed-0123456789\n';
  const args = ['init', '--provider', 'https://llm.example.test/v1', '--model', 'm'];
  const { code, stdout, stderr } = await runVarve(args, { home, stdin });
  expect(code).toBe(0);
  const files = await readdir(join(home, '.varve'), { recursive: true, withFileTypes: true });
  const paths = files.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
  expect([stdout, stderr, ...texts].join('\n')).not.toContain('sk-typed');
  const { stdout: profiles } = await runVarve(['profile', '--json'], { home });
  expect(JSON.parse(profiles)).toEqual({
    name: 'llm.example.test',
    roles: ['agent'],
    model: 'm',
    baseUrl: 'https://llm.example.test/v1',
  });
  await using server = await scriptedServer([{ text: 'Done.' }]);
  const elsewhere = await runVarve(['run', 'Hi.', '--base-url', server.url], { home });
  expect([elsewhere.code, server.requests[0]?.headers['authorization']]).toEqual([0, 'Bearer none']);
});

test('options answer all questions, and a provider needs no stored key', async () => {
  const home = await newHome();
  const args = ['init', '--provider', 'openrouter', '--key-env', 'MY_KEY', '--model', 'maker/m'];
  expect((await runVarve(args, { home })).code).toBe(0);
  const profile = await readFile(join(home, '.varve', 'profiles', 'openrouter.json'), 'utf8');
  expect(JSON.parse(profile)).toMatchObject({ model: 'openrouter/maker/m', api_key_ref: 'env:MY_KEY', api_key: null });
});

test.for([
  [['init', '--provider', 'nowhere'], '"nowhere" is neither a provider nor an address.'],
  [['init', '--provider', 'http://u:p@h'], 'contains a user name or password'],
  [['init', '--provider', 'groq'], 'No model was named.'],
] as const)('%j is wrong usage, and writes nothing', async ([args, problem]) => {
  const home = await newHome();
  const { code, stderr } = await runVarve(args, { home });
  expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
  expect(await readdir(home)).toEqual([]);
});
