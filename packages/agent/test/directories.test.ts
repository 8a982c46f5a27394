import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { eventCodec } from '@varve/events';
import { reviewFact } from '@varve/events/facts';
import { builtinKinds } from '@varve/events/kinds';
import { TerminalAction, TerminalObservation } from '@varve/events/payloads';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { defineBuiltinTool, finish, terminal, type Tool } from '@varve/tools';
import { defineAgent } from '../src/agent/agent.ts';
import { confirmRisky, neverConfirm } from '../src/confirmation/policies.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { shellRisk } from '../src/risk/shell-risk.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'varve-directories-')));
afterAll(() => rmSync(root, { recursive: true }));
const workspace = join(root, 'work');
const home = join(root, 'data');
for (const name of ['work/src', 'data/rules']) mkdirSync(join(root, name), { recursive: true });
const protectedPaths = [home];

/** Returns a terminal that runs nothing: each command may name the directory and the shell of its result. */
function recorded(): Tool {
  return defineBuiltinTool({
    name: 'terminal',
    description: 'Runs a command.',
    input: TerminalAction,
    output: TerminalObservation,
    definitionKind: 'TerminalTool',
    effect: 'write',
    execute: async ({ command }) => {
      const [, directory = workspace, pid = '1'] = /# in (\S+)(?: of (\d+))?$/.exec(command) ?? [];
      const metadata = { exit_code: 0, pid: Number(pid), working_dir: directory, prefix: '', suffix: '' };
      return { content: [], is_error: false, command, exit_code: 0, timeout: false, metadata };
    },
  });
}

const reply = (...commands: readonly string[]): ScriptedTurn => ({
  calls: commands.map((command) => ({ name: 'terminal', arguments: { command } })),
});
const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };

type Policy = ReturnType<typeof neverConfirm>;

function agentOf(turns: readonly ScriptedTurn[], confirmation: Policy, make: () => Tool = recorded) {
  return defineAgent({ model: scriptedModel(turns), tools: () => [make(), finish()], confirmation, protectedPaths });
}

/** Runs replies, and returns the reason of the end. */
async function ended(turns: readonly ScriptedTurn[], confirmation: Policy, make?: () => Tool): Promise<string> {
  const agent = agentOf([...turns, done], confirmation, make);
  await using conversation = await Conversation.create({ agent, store: memoryStore(), workspace });
  await conversation.send('Go.');
  return (await conversation.run()).reason;
}

const risky = confirmRisky({ analyzer: shellRisk() });

/** Commands that change to a directory without a question, and a command that names a file from there. */
const cases: readonly (readonly [policy: Policy, moves: readonly string[], command: string])[] = [
  [neverConfirm(), [`cd ${root} # in ${root}`], 'cd data && touch trust.json'],
  [neverConfirm(), [`cd .. # in ${root}`], 'tee data/trust.json'],
  [neverConfirm(), [`cd ${root} # in ${root}`], 'rm -r data'],
  [neverConfirm(), [`cd ${root} # in ${root}`, `ls # in ${workspace} of 2`], 'cp x ./data/rules/y'],
  [risky, ['cd /srv/x # in /srv/x'], 'rm y'],
  [risky, ['cd / # in /'], 'cp x etc/hosts'],
  [risky, ['cd /usr # in /usr'], 'cd lib; echo x > y'],
];

test('a file that a command names from the directory of an earlier command is asked about', async () => {
  for (const [policy, moves, command] of cases) {
    const moved = moves.map((move) => reply(move));
    const results = [
      await ended([...moved, reply(command)], policy),
      // Both are reviewed before one of them runs.
      await ended([reply(...moves, command)], policy),
      await ended([reply(command)], policy),
      await ended(moved, policy),
    ];
    expect([command, ...results]).toEqual([command, 'waiting', 'waiting', 'finished', 'finished']);
  }
});

test('a reply is stored with the review that counts the directory', async () => {
  const agent = agentOf([reply(`cd ${root} # in ${root}`), reply('rm -r data')], risky);
  const store = memoryStore();
  await using conversation = await Conversation.create({ agent, store, workspace });
  await conversation.send('Go.');
  expect((await conversation.run()).reason).toBe('waiting');
  const codec = eventCodec(builtinKinds);
  const stored = await Array.fromAsync((await store.read(conversation.id)).range(0), ({ text }) => codec.read(text));
  const reviews = stored.flatMap((event) => reviewFact.read(event)?.calls ?? []);
  expect(reviews.map(({ asks }) => asks)).toEqual([false, true]);
});

test('a directory that a shell has left, or that a shell of an earlier run was in, does not count', async () => {
  for (const [policy, moves, command] of cases) {
    const back = [...moves.map((move) => reply(move)), reply(`cd - # in ${workspace}`), reply(command)];
    expect(await ended(back, policy)).toBe('finished');
  }
  const agent = agentOf([reply('cd /srv # in /srv'), done, reply('ls # in /w of 7'), reply('rm x'), done], risky);
  await using conversation = await Conversation.create({ agent, store: memoryStore(), workspace });
  for (let run = 0; run < 2; run++) {
    await conversation.send('Go.');
    expect((await conversation.run()).reason).toBe(run === 0 ? 'finished' : 'waiting');
  }
});

test('after a changed command, a file is asked about from the directory in which that left the shell', async () => {
  const turns = [reply('rm -rf old'), reply('echo x > pre-commit'), done];
  await using store = memoryStore();
  await using conversation = await Conversation.create({ agent: agentOf(turns, risky), store, workspace });
  await conversation.send('Go.');
  expect((await conversation.run()).reason).toBe('waiting');
  const hooks = join(workspace, '.git/hooks');
  await conversation.approve({ arguments: { command: `cd .git/hooks && rm -rf old # in ${hooks}` } });
  expect((await conversation.run()).reason).toBe('waiting');
  expect([...conversation.startDirectories().values()]).toEqual([['.git/hooks']]);
});

test('a directory of the workspace raises no risk', async () => {
  const commands = ['rm a.ts', 'cp a b', 'cd lib && rm c.ts', 'echo x > out.txt'];
  const moves = [`cd src # in ${workspace}/src`, `cd ${workspace}/src # in ${workspace}/src`];
  for (const move of moves)
    expect(await ended([reply(move), ...commands.map((command) => reply(command))], risky)).toBe('finished');
});

const real = (): Tool => terminal({ pty: false });

test('the directory of a real shell counts', async () => {
  expect(await ended([reply(`cd ${root}`), reply('pwd; echo x > data/trust.json')], neverConfirm(), real)).toBe(
    'waiting',
  );
});
