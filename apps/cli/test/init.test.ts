import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { scriptedServer } from '@varve/llm/testing';
import { modelProfiles } from '@varve/settings/profiles';
import { expect, test } from 'vitest';
import { newHome, runVarve } from './run-varve.ts';
import { onTerminal } from './terminal-user.ts';

test('three answers make a profile that a run uses', async () => {
  const home = await newHome();
  await using server = await scriptedServer([{ text: 'OK.' }, { text: 'Done.' }]);
  const { code, stderr } = await runVarve(['init'], { home, stdin: `${server.url}\nscripted\n` });
  expect([code, stderr]).toEqual([0, expect.stringContaining('Saved the profile 127.0.0.1')]);
  expect(stderr).toMatch(/ {2}scripted\n[^]*It answered: \d+ tokens in, \d+ out, its price is not known\./);
  const run = await runVarve(['run', 'Hi.'], { home });
  expect([run.code, run.stdout]).toEqual([0, 'Done.\n']);
});

test('a typed key is stored encrypted, and sent to its server only', async () => {
  const home = await newHome();
  const stdin = 'sk-typed-0123456789\n';
  const args = ['init', '--provider', 'https://llm.example.test/v1', '--model', 'm', '--offline'];
  const { code, stdout, stderr } = await runVarve(args, { home, stdin });
  expect(code).toBe(0);
  const files = await readdir(join(home, '.varve'), { recursive: true, withFileTypes: true });
  const paths = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
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

test.for([
  ['an address', 'http://127.0.0.1:1/v1', 2, 'is an address, not the name of a model.'],
  ['a key', 'sk-canary-0123456789abcdef', 2, 'The name of the model looks like a key.'],
  ['a name that the server does not have', 'gpt-nano', 2, 'does not list the model gpt-nano.\nIt has 2: gpt-mini, …'],
  ['a model whose call fails', 'other', 3, '400'],
] as const)('%s is no model, and nothing is saved', async ([, name, status, problem]) => {
  const home = await newHome();
  await using server = await scriptedServer([], { models: ['gpt-mini', 'other'] });
  const { code, stderr } = await runVarve(['init', '--provider', server.url], { home, stdin: `${name}\n` });
  expect([code, stderr]).toEqual([status, expect.stringContaining(problem)]);
  expect(stderr).not.toContain('sk-canary');
  expect(await readdir(home)).toEqual([]);
});

test('a server on this machine that refuses to answer without a key is asked with one', async () => {
  const home = await newHome();
  await using server = await scriptedServer([{ text: 'OK.' }], { apiKey: 'the-key' });
  const wrong = await runVarve(['init', '--provider', server.url], { home, stdin: 'a-wrong-key\nscripted\n' });
  expect([wrong.code, wrong.stderr]).toEqual([3, expect.stringContaining('The key was the key that was typed.')]);
  const right = await runVarve(['init', '--provider', server.url], { home, stdin: 'the-key\nscripted\n' });
  expect([right.code, right.stderr]).toEqual([0, expect.stringContaining('It answered')]);
});

test('a run without a model asks for one on a terminal, and continues with it', async () => {
  const home = await newHome();
  await using server = await scriptedServer([{ text: 'OK.' }, { text: 'Done.' }]);
  const { code, stdout, left } = await onTerminal(['run', 'Hi.'], home, [
    ['Choose a model now? [Y/n]: ', ''],
    ['of any server)', server.url],
    ['Model [scripted]: ', ''],
  ]);
  expect([code, stdout, left]).toEqual([0, 'Done.\n', []]);
});

test('a name that the server does not have is used if the person insists', async () => {
  const home = await newHome();
  await using server = await scriptedServer([{ text: 'OK.' }]);
  const args = ['init', '--provider', server.url];
  const no = await onTerminal(args, home, [
    ['Model [scripted]: ', 'other'],
    ['Use it anyway? [y/N]: ', ''],
  ]);
  expect([no.code, await readdir(home)]).toEqual([130, []]);
  const yes = await onTerminal(args, home, [
    ['Model [scripted]: ', 'other'],
    ['Use it anyway? [y/N]: ', 'y'],
  ]);
  expect([yes.code, yes.left]).toEqual([0, []]);
});

test('without a terminal a run without a model names the command that asks for one', async () => {
  const { code, stderr } = await runVarve(['run', 'Hi.'], { home: await newHome() });
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/^varve: No model is chosen[^]*`varve init` asks for a model/),
  ]);
});

test.for([
  ['a variable', { api_key_ref: 'env:MY_KEY' }, 'the variable MY_KEY'],
  ['no key', {}, 'No key was sent.'],
] as const)('a server that refuses %s gets it named, without its value', async ([, fields, named]) => {
  const home = await newHome();
  await using server = await scriptedServer([], { apiKey: 'another' });
  await modelProfiles(join(home, '.varve')).save('mine', { model: 'm', base_url: server.url, ...fields });
  const run = await runVarve(['run', '--profile', 'mine', 'Hi.'], { home, env: { MY_KEY: 'sk-canary-7' } });
  expect([run.code, run.stderr]).toEqual([3, expect.stringContaining(named)]);
  expect(run.stderr).not.toContain('sk-canary-7');
  expect(run.stderr).not.toContain('OPENAI_API_KEY');
});
