import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { scriptedServer, type ScriptedStep, type ScriptedTurn } from '@varve/llm/testing';
import { commandName } from '../command-name.ts';
import type { CliCommand } from '../define-command.ts';
import { demoSteps, demoTask } from '../demo-script.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { onInterrupt } from '../signals.ts';
import { storeFrom, storeUrl } from '../store-from.ts';
import { styled, type TerminalIo } from '../terminal-io.ts';

/** Shows the agent at work on a small broken project, without a model or a key. */
export const demo: CliCommand = {
  register(parent, io, done) {
    parent
      .command('demo')
      .description('Watch an agent repair a small broken project. No account, no key.')
      .option('--store <url>', 'where the log is kept')
      .action(async ({ store }: { readonly store?: string }) => done(await runDemo(io, store)));
  },
};

async function runDemo(io: TerminalIo, store: string | undefined): Promise<ExitCode> {
  const say = (line: string): void => void io.stderr.write(`${line}\n`);
  say(styled(io, 'bold', "The model's replies are scripted and come from this machine; all else is real."));
  const workspace = await copyOfProject();
  await using server = await scriptedServer(paced(demoSteps(workspace), io));
  const ended = await runCli(
    [
      'run',
      '--base-url',
      server.url,
      '--model',
      'scripted',
      '--workspace',
      workspace,
      '--store',
      storeUrl(io, store),
      demoTask,
    ],
    io,
  );
  if (ended !== 0) return ended === exitCodes.interrupted ? exitCodes.interrupted : exitCodes.unfinished;
  const passes = await exitOf(spawn(process.execPath, ['--test'], { cwd: workspace, stdio: 'ignore' }));
  say('');
  say(
    passes === 0
      ? styled(io, 'green', "The project's tests pass now.")
      : styled(io, 'red', "The project's tests still fail."),
  );
  await sayWhatNext(io, store, say);
  return passes === 0 ? exitCodes.ok : exitCodes.unfinished;
}

async function sayWhatNext(io: TerminalIo, option: string | undefined, say: (line: string) => void): Promise<void> {
  await using store = await storeFrom(io, option);
  const { items } = await store.list({ limit: 1 });
  const id = items[0]?.id ?? '';
  const short = id.slice(0, 8);
  const varve = commandName(io);
  const where = option === undefined ? '' : ` --store ${option}`;
  say(`The conversation ${id} is kept in ${storeUrl(io, option)}`);
  say('');
  say('Try next:');
  const next: readonly (readonly [command: string, what: string])[] = [
    [`${varve} show ${short}${where}`, 'read it again'],
    [`${varve} show ${short}${where} --json`, 'every event, exactly as stored'],
    [`${varve} show ${short}${where} --messages`, 'what the model would be sent now'],
    [`${varve} ls${where}`, 'every conversation'],
    [`OPENAI_API_KEY=… ${varve} run -w DIR "…"`, 'a real model, on a project of yours'],
  ];
  const width = Math.max(...next.map(([command]) => command.length));
  for (const [command, what] of next) say(`  ${command.padEnd(width)}  ${styled(io, 'dim', what)}`);
}

/** Gives whoever watches time to read: a model would think as long. */
function paced(turns: readonly ScriptedTurn[], io: TerminalIo): readonly ScriptedStep[] {
  if (!io.stderr.isTTY || io.env['CI']) return turns;
  return turns.map((turn) => async () => {
    await sleep(900);
    return turn;
  });
}

async function copyOfProject(): Promise<string> {
  const workspace = await realpath(await mkdtemp(join(tmpdir(), 'varve-demo-')));
  await cp(fileURLToPath(new URL('../../demo', import.meta.url)), workspace, { recursive: true });
  return workspace;
}

/** Starts this very program again, so that the demo shows the real command. Real keys stay out of it. */
async function runCli(args: readonly string[], io: TerminalIo): Promise<number> {
  const [, program = ''] = process.argv;
  const { LLM_API_KEY: _key, OPENAI_API_KEY: _other, LLM_MODEL: _model, LLM_BASE_URL: _url, ...env } = io.env;
  const child = spawn(process.execPath, [...process.execArgv, program, ...args], { env, stdio: 'inherit' });
  // Ctrl-C reaches the command too, which pauses and ends by itself; the model it talks to must live until then.
  const release = onInterrupt({ pause: () => {}, stop: () => void child.kill('SIGTERM') });
  try {
    return await exitOf(child);
  } finally {
    release();
  }
}

async function exitOf(child: ReturnType<typeof spawn>): Promise<number> {
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}
