import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readState } from '@varve/agent';
import { textOf } from '@varve/events';
import type { ModelRequest } from '@varve/llm';
import { scriptedServer, type ScriptedStep, type ScriptedTurn } from '@varve/llm/testing';
import { openStore, type EventStore } from '@varve/storage';
import { appMain } from '../../../tests/app-main.ts';
import { schemesOf } from '../src/home/schemes.ts';
import { processEnvironment } from './process-environment.ts';

const main = appMain('cli');
const steps = [1, 2, 3, 4, 5];
const task = 'Write the five lines.';

/** Parameters of a round. */
export interface KillRoundOptions {
  readonly scheme: 'sqlite' | 'dir';
  /** Milliseconds after which the first process is killed. */
  readonly killAfterMs: number;
  /** Transport of tool calls. */
  readonly functionCalling: 'native' | 'mock';
}

/** Outcome of a round. */
export interface KillRound {
  /** True if the process was still running when it was killed. */
  readonly wasKilled: boolean;
  readonly exitCode: number | null;
  /** Lines that the write calls wrote to the file, in order. */
  readonly written: readonly string[];
  /** Events that were printed, and so acknowledged, but are missing in the log or differ from it. */
  readonly lost: readonly string[];
  readonly status: string;
  /** Calls with an unknown outcome in the log, and those reported to the model. */
  readonly unknownOutcomes: number;
  readonly stderr: string;
}

/** Starts the command, kills it with SIGKILL, continues with `--resume`, and returns the outcome of the task. */
export async function killRound({ scheme, killAfterMs, functionCalling }: KillRoundOptions): Promise<KillRound> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'varve-kill-')));
  const url = `${scheme}:${join(dir, 'log')}`;
  await using server = await scriptedServer(endless(nextTurn), { prompted: functionCalling === 'mock' });
  const common = [
    'run',
    '--base-url',
    server.url,
    '--model',
    'm',
    '--workspace',
    dir,
    '--store',
    url,
    '--json',
    '--function-calling',
    functionCalling,
  ];
  const first = start([...common, task], dir);
  const ended = await Promise.race([first.exit.then(() => true), sleep(killAfterMs).then(() => false)]);
  first.child.kill('SIGKILL');
  await first.exit;
  const { id, isStarted } = await whatIsLeft(url);
  const again = start([...common, ...(id === undefined ? [] : ['--resume', id]), ...(isStarted ? [] : [task])], dir);
  const exitCode = await again.exit;
  if ((await whatIsLeft(url)).id === undefined) throw new Error(`No conversation was stored: ${again.stderr()}`);
  const printed = [...completeLines(first.stdout()), ...completeLines(again.stdout())];
  return { wasKilled: !ended, exitCode, stderr: again.stderr(), ...(await judged(url, dir, printed)) };
}

/** Returns the next line to write; a line with an unknown outcome is searched in the file first. */
function nextTurn({ messages }: ModelRequest): ScriptedTurn {
  const tries = attempts(messages);
  const isTried = (step: number): boolean => tries.some(({ call }) => call.includes(`line-${step} `));
  const isSettled = (step: number): boolean =>
    tries.some(
      ({ call, result }) => call.includes(`line-${step} `) && !/outcome|not executed|interrupted/.test(result),
    );
  const step = steps.find((candidate) => !isSettled(candidate));
  if (step === undefined) return { calls: [{ name: 'finish', arguments: { message: 'Five lines.' } }] };
  const write = `echo line-${step} >> lines.txt`;
  const command = isTried(step) ? `grep -q line-${step} lines.txt || ${write}` : write;
  return { calls: [{ name: 'terminal', arguments: { command } }] };
}

/** Returns every call with its result as text: a reply has one call, and its result precedes the next reply. */
function attempts(messages: ModelRequest['messages']): readonly { readonly call: string; readonly result: string }[] {
  return messages.flatMap((message, index) => {
    if (message.role !== 'assistant') return [];
    const following = messages.slice(index + 1);
    const next = following.findIndex(({ role }) => role === 'assistant');
    const results = following.slice(0, next === -1 ? undefined : next).map(({ content }) => textOf(content));
    const call = [textOf(message.content), ...(message.tool_calls ?? []).map((each) => each.arguments)].join('\n');
    return [{ call, result: results.join('\n') }];
  });
}

function* endless(turn: (request: ModelRequest) => ScriptedTurn): Generator<ScriptedStep> {
  for (;;) yield turn;
}

function start(args: readonly string[], home: string) {
  const child = spawn(process.execPath, [main, ...args], {
    env: processEnvironment(home),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const exit = once(child, 'close').then(([code]) => code as number | null);
  return { child, exit, stdout: () => stdout, stderr: () => stderr };
}

/** Parses printed lines; a line truncated by the kill acknowledges no event. */
function completeLines(output: string): readonly string[] {
  return output.split('\n').slice(0, -1);
}

function opened(url: string): Promise<EventStore> {
  return openStore(url, schemesOf({}));
}

async function whatIsLeft(url: string): Promise<{ readonly id: string | undefined; readonly isStarted: boolean }> {
  await using store = await opened(url);
  const id = (await store.list()).items[0]?.id;
  if (id === undefined) return { id, isStarted: false };
  const { lastUserMessageId } = await readState(await store.read(id));
  return { id, isStarted: lastUserMessageId !== undefined };
}

async function judged(url: string, dir: string, printed: readonly string[]) {
  await using store = await opened(url);
  const log = await store.read((await store.list()).items[0]?.id ?? '');
  const stored = new Set<string>();
  let unknownOutcomes = 0;
  for await (const { text } of log.range(0)) {
    stored.add(text);
    if (text.includes('outcome of this terminal call is unknown')) unknownOutcomes += 1;
  }
  const { status } = await readState(log);
  const written = (await readFile(join(dir, 'lines.txt'), 'utf8').catch(() => ''))
    .split('\n')
    .filter((line) => line !== '');
  return { lost: printed.filter((line) => !stored.has(line)), status, written, unknownOutcomes };
}
