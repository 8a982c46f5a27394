import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { Conversation, defineAgent } from '@varve/agent';
import { scriptedModel, scriptedServer, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { HostedConversation } from '@varve/host';
import { appMain } from '../../../tests/app-main.ts';
import { EventPrinter } from '../src/print/event-printer.ts';
import { runProgram } from '../src/commands/program.ts';
import { terminalIo } from '../src/terminal/terminal-io.ts';
import { Progress } from '../src/print/progress.ts';
import { processEnvironment } from './process-environment.ts';
import { newHome, runVarve } from './run-varve.ts';

const main = appMain('cli');
const command = (text: string): ScriptedTurn => ({ calls: [{ name: 'terminal', arguments: { command: text } }] });

/** Runs one invocation on a terminal, in this process. */
async function atTerminal(args: readonly string[], onQuestion: (stdin: PassThrough) => unknown) {
  const home = await mkdtemp(join(tmpdir(), 'varve-home-'));
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  const stdout = new PassThrough().resume();
  let output = '';
  let isAsked = false;
  stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    if (isAsked || !output.includes('Choice: ')) return;
    isAsked = true;
    void onQuestion(stdin);
  });
  const io = { env: { PATH: process.env['PATH'], HOME: home, NO_COLOR: '1' }, cwd: home, stdin, stdout, stderr };
  const code = await runProgram(['run', 'Go.', '--confirm', 'always', ...args], io);
  return { code, output };
}

/** Replaces the intervals of this process, such as the one that draws the status line. */
function fakeIntervals() {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  return {
    advance: (ms: number) => void vi.advanceTimersByTime(ms),
    [Symbol.dispose]: () => void vi.useRealTimers(),
  };
}

test.for([
  ['the end of the input', (stdin: PassThrough) => stdin.end()],
  ['Ctrl-C', (stdin: PassThrough) => stdin.write('\u0003')],
  ['q', (stdin: PassThrough) => stdin.write('q\r')],
  ['a request to terminate', () => process.emit('SIGTERM')],
] as const)('%s at the question leaves the calls waiting', async ([, onQuestion]) => {
  await using server = await scriptedServer([command('echo hi')]);
  const { code, output } = await atTerminal(['--base-url', server.url, '--model', 'm'], onQuestion);
  expect(code).toBe(7);
  expect(output).toContain('--approve');
});

test('a closed window interrupts the session, which leaves nothing in the directory of the agent', async () => {
  await using server = await scriptedServer([command('touch started; sleep 600')]);
  const home = await newHome();
  const workspace = join(home, 'project');
  await mkdir(workspace);
  const varve = [process.execPath, main, '--base-url', server.url, '--model', 'm'];
  const session = `trap '' HUP; ${varve.map((word) => `'${word}'`).join(' ')}; echo $? >'${home}/status'`;
  const window = spawn('script', ['--quiet', '--command', session, '/dev/null'], {
    cwd: workspace,
    env: processEnvironment(home, { TERM: 'xterm' }),
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let shown = '';
  window.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));
  await expect.poll(() => shown).toContain('mode: auto');
  window.stdin.write('Sleep.\r');
  await expect.poll(async () => readdir(workspace)).toContain('started');
  window.kill('SIGKILL');
  await expect.poll(async () => readdir(home)).toContain('status');
  expect(await readFile(join(home, 'status'), 'utf8')).toBe('130\n');
  expect(await readdir(workspace)).toEqual(['started']);
  expect((await runVarve(['ls'], { home })).stdout).toMatch(/ paused /);
});

test('nothing overwrites the line while the user types', async () => {
  await using server = await scriptedServer([command('echo hi'), { text: 'Done.' }]);
  using timers = fakeIntervals();
  const { code, output } = await atTerminal(['--base-url', server.url, '--model', 'm'], (stdin) => {
    timers.advance(60_000);
    stdin.write('y\r');
  });
  expect(code).toBe(0);
  const [, typed = ''] = output.split('Choice: ');
  const [beforeAnswer = ''] = typed.split('y\r\n');
  expect(beforeAnswer).not.toContain('\u001B[2K');
  expect(output.indexOf('$ echo hi')).toBeLessThan(output.indexOf('Approve this tool call?'));
});

test('the run stops without an error when the reader of its events is gone', async () => {
  await using server = await scriptedServer([command('sleep 600'), { text: 'Done.' }]);
  const home = await mkdtemp(join(tmpdir(), 'varve-home-'));
  const options = ['--base-url', server.url, '--model', 'm', '--workspace', home];
  const child = spawn(process.execPath, [main, 'run', '--json', ...options, 'Sleep.'], {
    env: processEnvironment(home),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const exit = once(child, 'close');
  await once(child.stdout, 'data');
  child.stdout.destroy();
  expect(await exit).toEqual([130, null]);
  expect(stderr).toContain('--resume');
  expect(stderr).not.toContain('EPIPE');
});

test('a conversation that another process has open is a storage error', async () => {
  await using server = await scriptedServer([command('sleep 600')]);
  const home = await mkdtemp(join(tmpdir(), 'varve-home-'));
  const start = (args: readonly string[]) => {
    const options = ['--base-url', server.url, '--model', 'm', '--workspace', home];
    const child = spawn(process.execPath, [main, 'run', ...options, ...args], {
      env: processEnvironment(home),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    return { child, exit: once(child, 'exit') };
  };
  const first = start(['Sleep.']);
  let output = '';
  for await (const chunk of first.child.stderr.iterator({ destroyOnReturn: false })) {
    output += String(chunk);
    if (output.includes('$ sleep')) break;
  }
  const id = /conversation (\w+)/.exec(output)?.[1] ?? '';
  expect(await start(['--resume', id, 'More.']).exit).toEqual([4, null]);
  first.child.kill('SIGTERM');
  expect(await first.exit).toEqual([130, null]);
});

test('--approve together with a message is a usage error', async () => {
  const stderr = new PassThrough();
  const io = { env: {}, cwd: '/', stdin: new PassThrough().end(), stdout: new PassThrough(), stderr };
  expect(await runProgram(['run', '--resume', 'abcd', '--approve', 'And', 'more.'], io)).toBe(2);
  expect(String(stderr.read())).toContain('--approve');
});

test('an unreadable store rejects the callers that wait for the printer', async () => {
  const agent = defineAgent({ model: scriptedModel([]), tools: () => [] });
  await using conversation = await Conversation.create({ agent, store: memoryStore(), workspace: '/' });
  await conversation.send('Hi.');
  const read = Promise.withResolvers<void>();
  const broken: Conversation = Object.create(conversation, {
    state: { get: () => conversation.state },
    events: {
      value: async function* () {
        yield* [];
        read.resolve();
        throw new Error('disk on fire');
      },
    },
  }) as Conversation;
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const io = terminalIo({ env: {}, cwd: '/', stdin, stdout, stderr });
  const printer = new EventPrinter(
    new HostedConversation(broken),
    { io, progress: new Progress(io) },
    { from: 0, pending: [], asJson: true },
  );
  // After a turn, Node.js would have reported a rejection that no one handles.
  await read.promise;
  await turn();
  await expect(printer.finish()).rejects.toThrow('disk on fire');
});

test('what arrived of a reply before an interrupt is kept', async () => {
  const home = await newHome();
  const text = 'I begin with a long explanation of everything.';
  await using server = await scriptedServer([{ text, fault: { kind: 'hang', afterPieces: 4 } }]);
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  let output = '';
  let isStopped = false;
  stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    if (isStopped || !output.includes('I begin')) return;
    isStopped = true;
    setImmediate(() => process.emit('SIGTERM'));
  });
  const io = { env: { PATH: process.env['PATH'], HOME: home, NO_COLOR: '1' }, cwd: home, stdin, stderr };
  const args = ['run', 'Go.', '--base-url', server.url, '--model', 'm'];
  expect(await runProgram(args, { ...io, stdout: new PassThrough().resume() })).toBe(130);
  expect(output.slice(output.lastIndexOf('I begin'))).toMatch(
    /^I begin[^]*the reply was not completed[^]*Interrupted\./,
  );
  expect(output.match(/interrupted/gi)).toHaveLength(1);
  const { stdout: listed } = await runVarve(['ls', '--json'], { home });
  const { stdout } = await runVarve(['show', JSON.parse(listed).id], { home });
  expect(stdout).toContain('\nI begin');
  expect(stdout).toContain('the reply was not completed');
});
