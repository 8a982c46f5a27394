import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ScriptedStep, ScriptedTurn } from '@varve/llm/testing';
import { shellWord, withoutPassword } from '@varve/text';
import { appFile } from '../home/app-file.ts';
import { commandName } from '../terminal/command-name.ts';
import type { CliCommand } from '../command-line/cli-command.ts';
import { nextSteps } from './demo-next-steps.ts';
import { demoSteps, demoTask } from './demo-script.ts';
import { exitCodes, type ExitCode } from '../failures/exit-codes.ts';
import { onInterrupt } from '../terminal/signals.ts';
import { openConfiguredStore, storeUrl } from '../home/open-configured-store.ts';
import { styled, type Printable } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

/** Runs the agent on a small broken project, without a model or a key. */
export const demo: CliCommand = (parent, io, done) => {
  parent
    .command('demo')
    .description('Watch an agent repair a small broken project. No account, no key.')
    .option('--store <url>', 'store of the log')
    .action(async ({ store }: { readonly store?: string }) => done(await runDemo(io, store)));
};

async function runDemo(io: TerminalIo, store: string | undefined): Promise<ExitCode> {
  const print = (line: Printable): void => io.stderr.line(line);
  print(styled('bold', "The model's replies are scripted and come from this machine; everything else is real."));
  const workspace = await copyOfProject();
  // Loaded here, so that the help appears faster.
  const { scriptedServer } = await import('@varve/llm/testing');
  await using server = await scriptedServer(paced(demoSteps(workspace), io));
  const url = await storeUrl(io, store);
  const model = ['--base-url', server.url, '--model', 'scripted'];
  const ended = await runCli(['run', '--demo', ...model, '--workspace', workspace, '--store', url, demoTask], io);
  if (ended !== 0) return Object.values(exitCodes).find((code) => code === ended) ?? exitCodes.unfinished;
  const passes = await exitOf(spawn(process.execPath, ['--test'], { cwd: workspace, stdio: 'ignore' }));
  print('');
  print(
    passes === 0 ? styled('green', "The project's tests pass now.") : styled('red', "The project's tests still fail."),
  );
  if (url !== 'memory:') await printNextSteps(io, store, print);
  return passes === 0 ? exitCodes.ok : exitCodes.unfinished;
}

async function printNextSteps(
  io: TerminalIo,
  option: string | undefined,
  print: (line: Printable) => void,
): Promise<void> {
  await using store = await openConfiguredStore(io, option);
  const { items } = await store.list({ limit: 1 });
  const id = items[0]?.id ?? '';
  const short = id.slice(0, 8);
  const where = option === undefined ? '' : ` --store ${shellWord(withoutPassword(option))}`;
  print(`The conversation ${id} is stored in ${withoutPassword(await storeUrl(io, option))}`);
  print('');
  print('Try next:');
  const next = nextSteps(commandName(io), short, where);
  const width = Math.max(...next.map(([command]) => command.length));
  for (const [command, what] of next) print([`  ${command.padEnd(width)}  `, styled('dim', what)]);
}

/** Delays replies on a terminal, so that the output can be read as it appears. */
function paced(turns: readonly ScriptedTurn[], io: TerminalIo): readonly ScriptedStep[] {
  if (!io.stderr.isTTY || io.env['CI']) return turns;
  return turns.map((turn) => async () => {
    await sleep(900);
    return turn;
  });
}

async function copyOfProject(): Promise<string> {
  const workspace = await realpath(await mkdtemp(join(tmpdir(), 'varve-demo-')));
  await cp(appFile('demo'), workspace, { recursive: true });
  return workspace;
}

/** Starts this program as a child process, so that the demo shows the real command, without the user's keys. */
async function runCli(args: readonly string[], io: TerminalIo): Promise<number> {
  const [, program = ''] = process.argv;
  const { LLM_API_KEY: _key, OPENAI_API_KEY: _other, LLM_MODEL: _model, LLM_BASE_URL: _url, ...env } = io.env;
  const child = spawn(process.execPath, [...process.execArgv, program, ...args], { env, stdio: 'inherit' });
  // Ctrl-C reaches the child process too, which pauses and ends by itself; its model server must run until then.
  using ending = new DisposableStack();
  onInterrupt({ pause: () => {}, stop: () => void child.kill('SIGTERM') }, ending);
  return await exitOf(child);
}

async function exitOf(child: ReturnType<typeof spawn>): Promise<number> {
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}
