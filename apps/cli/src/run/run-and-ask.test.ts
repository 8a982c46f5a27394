import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { alwaysConfirm, Conversation, defineAgent } from '@varve/agent';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish, terminal } from '@varve/tools';
import { terminalIo, type TerminalIo } from '../terminal/terminal-io.ts';
import { EventPrinter } from './event-printer.ts';
import { Progress } from './progress.ts';
import { runAndAsk } from './run-and-ask.ts';

interface Surroundings {
  readonly env: Readonly<Record<string, string>>;
  readonly isTTY: boolean;
}

/** A terminal whose user types the next answer at each question. */
function user(answers: readonly string[], { env, isTTY }: Surroundings) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const stderr = Object.assign(new PassThrough(), { isTTY, columns: 80 });
  const left = [...answers];
  let shown = '';
  let asked = 0;
  let muted = 0;
  stderr.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
    if (shown.split('Choice: ').length <= asked + 1) return;
    asked += 1;
    const answer = left.shift();
    setImmediate(() => (answer === undefined ? stdin.end() : stdin.write(`${answer}\r`)));
  });
  const io: TerminalIo = {
    ...terminalIo({ env, cwd: '/', stdin, stdout: new PassThrough(), stderr }),
    muteInput: () => {
      muted += 1;
      return { [Symbol.dispose]: () => undefined };
    },
  };
  return { io, left, muted: () => muted };
}

/** Runs replies in a workspace with the answers of a user, under a policy that asks about every call. */
async function answered(turns: readonly ScriptedTurn[], answers: readonly string[], surroundings: Surroundings) {
  const workspace = await mkdtemp(join(tmpdir(), 'varve-asked-'));
  const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };
  const agent = defineAgent({
    model: scriptedModel([...turns, done]),
    tools: () => [terminal(), finish()],
    confirmation: alwaysConfirm(),
  });
  await using conversation = await Conversation.create({ agent, store: memoryStore(), workspace });
  await conversation.send('Go.');
  const { io, ...terms } = user(answers, surroundings);
  using progress = new Progress(io);
  const printer = new EventPrinter(conversation, { io, progress }, { from: 0, pending: [], asJson: false });
  const work = async (options: Parameters<Conversation['run']>[0]) => conversation.run(options);
  const result = await runAndAsk(conversation, { options: {}, work }, { io, progress, printer });
  await printer.finish();
  return { ...terms, reason: result.reason, workspace };
}

const command = (text: string): ScriptedTurn => ({ calls: [{ name: 'terminal', arguments: { command: text } }] });

test.for([
  ['xterm', true, 1],
  ['dumb', true, 1],
  ['xterm', false, 0],
] as const)('with TERM=%s, what is typed before a question answers none if stderr is a terminal: %j', async (row) => {
  const [TERM, isTTY, count] = row;
  expect((await answered([], [], { env: { TERM }, isTTY })).muted()).toBe(count);
});

test('an approval for the session covers the command in its directory, and no other one', async () => {
  const turns = ['touch a', 'touch a', 'mkdir sub; cd sub', 'touch a', 'cd ..', 'touch a'].map(command);
  // The first one, the change into the directory, the command there, and the way back.
  const answers = ['s', 'y', 'n', 'y'];
  const run = await answered(turns, answers, { env: { TERM: 'xterm' }, isTTY: true });
  expect([run.reason, run.left]).toEqual(['finished', []]);
  expect((await readdir(run.workspace, { recursive: true })).toSorted()).toEqual(['a', 'sub']);
});
