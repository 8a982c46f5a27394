import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { scriptedServer } from '@varve/llm/testing';
import { runProgram } from '../src/commands/program.ts';
import { newHome, runVarve } from './run-varve.ts';

const task = { description: 'Clean', prompt: 'Clean up.', subagent_type: 'general-purpose' };
const delegating = { calls: [{ name: 'task', arguments: task }] };
const risky = { calls: [{ name: 'terminal', arguments: { command: 'git push; echo cleaned > log.txt' } }] };
const optionsFor = (url: string) => [
  '--base-url',
  url,
  '--model',
  'm',
  '--set',
  'tools.add=["task"]',
  '--confirm',
  'auto',
];

test('a call of a sub-agent that waits is shown with the command that approves it', async () => {
  await using server = await scriptedServer([delegating, risky, { text: 'Waiting.' }, { text: 'Cleaned.' }]);
  const home = await newHome();
  const first = await runVarve(['run', 'Clean.', ...optionsFor(server.url)], { home });
  expect(first.code).toBe(0);
  expect(first.stderr).toContain('Waiting for approval of 1 tool call of the sub-agent general-purpose:\n│ $ git push');
  const [, id = '', digest = ''] = /--resume (\w+) --approve (\w+)/.exec(first.stderr) ?? [];
  const child = await runVarve(['run', '--resume', id, '--approve', digest], { home });
  expect([child.code, child.stdout]).toEqual([0, 'Cleaned.\n']);
  expect(await readFile(join(home, 'log.txt'), 'utf8')).toBe('cleaned\n');
});

test.for([
  ['y', 'cleaned\n'],
  ['e echo edited > log.txt', 'edited\n'],
] as const)('at a terminal, the person answers %s about a call of a sub-agent', async ([answer, log]) => {
  await using server = await scriptedServer([delegating, risky, { text: 'Cleaned.' }, { text: 'Done.' }]);
  const home = await newHome();
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 120 });
  const stdout = new PassThrough();
  const answers: string[] = [answer];
  let output = '';
  stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    if (output.endsWith('Choice: ')) stdin.write(`${answers.shift() ?? '\u0003'}\r`);
  });
  const io = { env: { PATH: process.env['PATH'], HOME: home, NO_COLOR: '1' }, cwd: home, stdin, stdout, stderr };
  expect(await runProgram(['run', 'Clean.', ...optionsFor(server.url)], io)).toBe(0);
  expect(output).toContain('Approve this tool call of the sub-agent general-purpose?');
  expect(String(stdout.read())).toBe('Done.\n');
  expect(await readFile(join(home, 'log.txt'), 'utf8')).toBe(log);
});
