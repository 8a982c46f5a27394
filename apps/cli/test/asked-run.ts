import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { alwaysConfirm, Conversation, defineAgent } from '@varve/agent';
import type { ConfirmationPolicy } from '@varve/agent/confirmation';
import { approvalFact, effectFact } from '@varve/events/facts';
import { ObservationEvent } from '@varve/events/kinds';
import { eventText } from '@varve/events/text';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import type { Sandbox } from '@varve/sandbox';
import { memoryStore } from '@varve/storage';
import { finish, terminal } from '@varve/tools';
import { HostedConversation } from '@varve/host';
import type { Questions } from '@varve/host/people';
import { EventPrinter } from '../src/print/event-printer.ts';
import { Progress } from '../src/print/progress.ts';
import { questionsTo } from '../src/opening/questions-to.ts';
import { terminalPerson } from '../src/print/terminal-person.ts';
import { runAndAsk } from '../src/print/run-and-ask.ts';
import { terminalIo, type TerminalIo } from '../src/terminal/terminal-io.ts';

/** Environment of a run, and whether its standard error is a terminal. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string>>;
  readonly isTTY: boolean;
}

/** A terminal whose user types the next answer at each question. */
function user(answers: readonly string[], { env, isTTY }: Surroundings) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const stderr = Object.assign(new PassThrough(), { isTTY, columns: 80 });
  const left = [...answers];
  let output = '';
  let asked = 0;
  let muted = 0;
  stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    if (output.split('Choice: ').length <= asked + 1) return;
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
  return { io, left, asked: () => asked, muted: () => muted, shown: () => output };
}

/** What decides about calls and holds them. */
export interface AskedPolicy {
  /** Default: asks about every call. */
  readonly confirmation?: ConfirmationPolicy;
  /** Returns the walls of the terminal. Default: none. */
  readonly sandboxOf?: (place: { readonly workspace: string; readonly questions: Questions }) => Sandbox;
}

/** Runs replies in a new workspace with the answers of a user. */
export async function answered(
  turns: readonly ScriptedTurn[],
  answers: readonly string[],
  surroundings: Surroundings,
  { confirmation = alwaysConfirm(), sandboxOf }: AskedPolicy = {},
) {
  const workspace = await realpath(await mkdtemp(join(tmpdir(), 'varve-asked-')));
  const { io, ...terms } = user(answers, surroundings);
  using progress = new Progress(io);
  const questions = questionsTo(terminalPerson({ io, progress }), io, { options: () => ({}), isClosed: true });
  using walls = new DisposableStack();
  const sandbox = sandboxOf && walls.adopt(sandboxOf({ workspace, questions }), (each) => each.close());
  const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };
  const agent = defineAgent({
    model: scriptedModel([...turns, done]),
    tools: () => [terminal({ ...(sandbox && { sandbox }) }), finish()],
    confirmation,
  });
  const conversation = await Conversation.create({ agent, store: memoryStore(), workspace });
  using ending = new DisposableStack();
  await using hosted = new HostedConversation(conversation);
  await conversation.send('Go.');
  const printer = new EventPrinter(hosted, { io, progress }, { from: 0, pending: [], asJson: false });
  const result = await runAndAsk(hosted, { options: {}, questions, ending }, { io, progress, printer });
  await printer.finish();
  const events = (await Array.fromAsync(conversation.events())).map(({ event }) => event);
  const approvals = events.filter((event) => approvalFact.read(event)).length;
  const profiles = events.flatMap((event) => effectFact.read(event)?.sandbox ?? []);
  const results = events.filter((event) => ObservationEvent.is(event)).map((event) => eventText(event));
  return { ...terms, reason: result.reason, approvals, profiles, results, workspace };
}
