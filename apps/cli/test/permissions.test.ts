import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { scriptedServer, type ScriptedTurn } from '@varve/llm/testing';
import { runProgram } from '../src/commands/program.ts';
import { newHome, runVarve } from './run-varve.ts';

const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };

function bash(command: string): ScriptedTurn {
  return { calls: [{ name: 'terminal', arguments: { command } }] };
}

test('rules are added, listed and removed', async () => {
  const home = await newHome();
  expect((await runVarve(['permissions', 'add', 'allow', 'command', 'git', 'status'], { home })).code).toBe(0);
  expect((await runVarve(['permissions', 'add', '--user', 'deny', 'command', 'rm', '-rf'], { home })).code).toBe(0);
  expect((await runVarve(['permissions'], { home })).stdout).toBe(
    'project  allow command git status\nuser     deny command rm -rf\n',
  );
  expect((await runVarve(['permissions', 'rm', 'deny', 'command', 'rm', '-rf'], { home })).code).toBe(0);
  expect((await runVarve(['permissions', 'rm', 'deny', 'command', 'rm', '-rf'], { home })).code).toBe(5);
  expect((await runVarve(['permissions', 'add', 'maybe', 'command', 'x'], { home })).code).toBe(2);
  expect(await runVarve(['permissions', 'add', 'deny', 'path', '.env', '-w', home], { home })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('A rule for a path has one pattern, and "-w" follows it'),
  });
});

test('a listed rule shows every character', async () => {
  const home = await newHome();
  await runVarve(['permissions', 'add', 'allow', 'command', 'echo\u200B', 'build\u2800'], { home });
  expect((await runVarve(['permissions'], { home })).stdout).toBe('project  allow command echo<200B> build<2800>\n');
});

test('the rules apply to a run: a denied call is answered, and an allowed one is not asked about', async () => {
  const home = await newHome();
  await runVarve(['permissions', 'add', 'deny', 'command', 'git', 'push'], { home });
  await runVarve(['permissions', 'add', 'allow', 'command', 'echo'], { home });
  await using server = await scriptedServer([bash('git push origin main'), bash('echo allowed'), done]);
  const options = ['--base-url', server.url, '--model', 'scripted', '--store', 'memory:', '--json'];
  const { code, stdout } = await runVarve(['run', ...options, '--confirm', 'always', 'Go.'], { home });
  expect(code).toBe(0);
  expect(stdout).toContain('A rule denies it: deny command git push.');
  expect(stdout).toContain('"kind":"TerminalObservation"');
});

test('"always" at the prompt adds a rule, and later calls that it covers run', async () => {
  const home = await newHome();
  const workspace = join(home, 'work');
  await mkdir(workspace);
  await using server = await scriptedServer([bash('touch one'), bash('touch one; touch two'), bash('touch one'), done]);
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 100 });
  let output = '';
  const answers = ['a\r', 'n\r'];
  stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    if (chunk.toString().includes('Choice: ')) setImmediate(() => stdin.write(answers.shift() ?? 'q\r'));
  });
  const args = ['--base-url', server.url, '--model', 'scripted', '--store', 'memory:', '-w', workspace];
  const code = await runProgram(['run', ...args, '--confirm', 'always', 'Go.'], {
    env: { PATH: process.env['PATH'], HOME: home, TERM: 'dumb', NO_COLOR: '1' },
    cwd: home,
    stdin,
    stdout: new PassThrough(),
    stderr,
  });
  expect([code, answers]).toEqual([0, []]);
  expect(output).toContain('[a] always in this project: allow command touch one');
  const stored = await readFile(join(home, '.varve', 'permissions.json'), 'utf8');
  expect(JSON.parse(stored)).toMatchObject({
    projects: { [workspace]: [{ decision: 'allow', pattern: 'touch one' }] },
  });
});

test('the data directory of varve is protected under --confirm never', async () => {
  const home = await newHome();
  const data = join(home, 'data');
  await using server = await scriptedServer([bash(`echo x > ${data}/trust.json`), done]);
  const options = ['--base-url', server.url, '--model', 'scripted', '--store', 'memory:', '--confirm', 'never'];
  const args = ['run', ...options, '--sandbox', 'off', 'Go.'];
  const { code, stderr } = await runVarve(args, { home, env: { VARVE_HOME: data } });
  expect([code, stderr]).toEqual([7, expect.stringContaining('(rule read.credentials)')]);
});

test('a rule is tested on past calls: what it would have decided, and what really happened', async () => {
  const home = await newHome();
  await runVarve(['permissions', 'add', 'deny', 'command', 'git', 'push'], { home });
  await using server = await scriptedServer([
    bash('git push origin main'),
    bash('echo one'),
    bash('echo "$HOME"'),
    done,
  ]);
  await runVarve(['run', '--base-url', server.url, '--model', 'm', '--confirm', 'never', 'Go.'], { home });
  const tested = async (...rule: readonly string[]) => runVarve(['permissions', 'test', ...rule], { home });
  const denied = await tested('deny', 'command', 'echo');
  expect(denied.stdout).toMatch(/^stopped {6}\w{8} event \d+ {2}\$ echo one {2}\(it ran\)$/m);
  expect(denied.stdout).toMatch(/^asked about {2}\w{8} event \d+ {2}\$ echo "\$HOME" {2}\(it ran\)$/m);
  expect(denied.stderr).toBe('Of 4 calls in 1 conversations: 0 let through, 1 asked about, 1 stopped.\n');
  expect((await tested('allow', 'command', 'git', 'push', 'origin', 'main')).stdout).toMatch(
    /^let through .*git push origin main {2}\(it was denied\)$/m,
  );
  const { stdout } = await tested('--json', 'allow', 'tool', 'terminal');
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object),
  ).toMatchObject([
    { decision: 'allow', happened: 'ran' },
    { decision: 'allow', happened: 'ran' },
  ]);
  expect((await tested('-w', join(home, 'elsewhere'), 'deny', 'tool', '*')).stderr).toMatch(/^Of 0 calls in 0/);
});
