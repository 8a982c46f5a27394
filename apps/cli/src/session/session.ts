import type { Conversation, RunResult } from '@varve/agent';
import type { BaseEvent } from '@varve/events';
import { ActionEvent, MessageEvent } from '@varve/events/kinds';
import type { CommandTable } from '../command-line.ts';
import { CallDecisions } from '../run/decide-calls.ts';
import { describeFailure } from '../describe-failure.ts';
import { endSentence } from '../run/report-end.ts';
import type { RunOptions } from '../run/run-options.ts';
import { goalLine, startWork, type Work } from '../run/start-work.ts';
import { settingsFor } from '../setup/settings.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { branchOf } from './footer.ts';
import { openSession, type OpenSession } from './open-session.ts';
import { ScreenQuestions } from './screen-questions.ts';
import type { Screen } from './screen.ts';

/** Names of policies by the kind of their spec. */
const policies: Readonly<Record<string, string>> = {
  NeverConfirm: 'never',
  AlwaysConfirm: 'always',
  ConfirmRisky: 'auto',
};

/** Longest time that a title takes, in milliseconds. */
const maxTitleMs = 30_000;

/** Conversation of a person with an agent on a screen. A new one is stored with its first message. */
export class Session implements AsyncDisposable {
  readonly io: TerminalIo;
  readonly screen: Screen;
  /** Commands of the program that it can run. */
  readonly commands: CommandTable['commands'];
  #options: RunOptions;
  #open: OpenSession | undefined;
  #running: Promise<void> | undefined;
  #interruption = new AbortController();
  readonly #questions: ScreenQuestions;
  readonly #ended = Promise.withResolvers<void>();

  constructor(options: RunOptions, io: TerminalIo, screen: Screen, commands: CommandTable['commands']) {
    this.#options = options;
    this.io = io;
    this.screen = screen;
    this.commands = commands;
    this.#questions = new ScreenQuestions(screen, io);
  }

  /** Options of the conversation; `resume` is its id once it is stored. */
  get options(): RunOptions {
    return this.#options;
  }

  /** The conversation, once it is stored. */
  get conversation(): Conversation | undefined {
    return this.#open?.conversation;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Resolves when the person leaves. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** Leaves the session. */
  quit(): void {
    this.#ended.resolve();
  }

  /** Opens the conversation of `resume`, or shows what a new one would use. */
  async start(): Promise<void> {
    if (this.#options.resume === undefined) await this.#describeNew();
    else await this.#opened();
  }

  /** Closes the conversation, and continues with other options: another conversation, model, policy or sandbox. */
  async reopen(changes: Partial<RunOptions>): Promise<void> {
    if (this.isRunning) throw new Error('Press Esc first: the agent is working.');
    const before = this.#options;
    await this.#close();
    this.#options = { ...before, ...changes };
    try {
      await this.start();
    } catch (error) {
      this.#options = before;
      await this.start();
      throw error;
    }
  }

  /** Starts a new conversation with the same options. */
  async startNew(): Promise<void> {
    const { resume: _resume, ...options } = this.#options;
    if (this.isRunning) throw new Error('Press Esc first: the agent is working.');
    await this.#close();
    this.#options = options;
    this.screen.clear();
    await this.start();
  }

  /** Sends a message: to the run in progress, or to a new one. With `goal` it is an objective. */
  async send(text: string, { goal = false } = {}): Promise<void> {
    const { conversation } = await this.#opened();
    if (this.isRunning) {
      await conversation.send(text);
      this.screen.status.hint('The agent reads the message before its next step.');
      return;
    }
    const work = await startWork(conversation, text, goal ? { goal: true } : {});
    this.#run(work);
  }

  /** Continues a conversation whose run was interrupted. */
  async continueRun(): Promise<void> {
    const { conversation } = await this.#opened();
    if (!this.isRunning) this.#run(async (options) => conversation.run(options));
  }

  /** Interrupts the run, and leaves a question undecided. Returns false if nothing runs. */
  interrupt(): boolean {
    if (!this.isRunning) return false;
    this.#interruption.abort();
    this.#questions.cancel();
    void this.conversation?.interrupt();
    return true;
  }

  /** Prints why something failed. */
  report(error: unknown): void {
    const failure = error instanceof Error ? (describeFailure(error) ?? { message: error.message }) : undefined;
    if (!failure) throw error;
    this.screen.print(failure.message, 'red');
    if ('hint' in failure && failure.hint !== undefined) this.screen.print(failure.hint, 'dim');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.interrupt();
    await this.#running;
    await this.#close();
  }

  async #opened(): Promise<OpenSession> {
    if (this.#open) return this.#open;
    const opened = await openSession(this.#options, this.screen, this.#questions);
    this.#open = opened;
    const { conversation, prepared } = opened;
    this.#options = { ...this.#options, resume: conversation.id };
    const { model } = prepared.agent;
    const { kind } = { kind: '', ...(conversation.confirmation.spec as { readonly kind?: string }) };
    this.screen.footer.update({
      model: model.name,
      ...(model.capabilities.contextWindow !== undefined && { contextWindow: model.capabilities.contextWindow }),
      ...(kind in policies && { policy: policies[kind] ?? kind }),
      usage: conversation.state.stats.total,
    });
    await this.#showPlace(conversation.workspace);
    return opened;
  }

  async #describeNew(): Promise<void> {
    const { workspace, model, confirm } = this.#options;
    const directory = workspace ?? this.io.cwd;
    const settings = await settingsFor(this.io, { workspace: directory });
    const name = model ?? settings.get('llm.model');
    this.screen.footer.replace({
      ...(name !== undefined && { model: name }),
      policy: confirm ?? settings.get('confirmation.policy') ?? 'auto',
    });
    await this.#showPlace(directory);
  }

  async #showPlace(directory: string): Promise<void> {
    const settings = await settingsFor(this.io, { workspace: directory });
    const branch = await branchOf(directory);
    this.screen.footer.update({
      ...(branch !== undefined && { branch }),
      sandbox: this.#options.sandbox ?? settings.get('sandbox.profile') ?? 'auto',
    });
    this.screen.draw();
  }

  async #close(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.[Symbol.asyncDispose]();
  }

  #run(work: Work): void {
    this.#interruption = new AbortController();
    this.#running = this.#runToEnd(work, this.#interruption.signal)
      .catch((error: unknown) => this.report(error))
      .finally(() => {
        this.#running = undefined;
        this.screen.status.set(undefined);
      });
  }

  async #runToEnd(work: Work, signal: AbortSignal): Promise<void> {
    const { conversation, prepared, follower } = await this.#opened();
    const model = async () => (await prepared.ownModel('title').catch(() => undefined)) ?? 'none';
    await using title = conversation.titleWriter({ model, maxMs: maxTitleMs, onFailure: () => undefined });
    title.start();
    const result = await this.#runAndAsk(work, signal);
    if (result.reason === 'finished') await title.finished();
    await follower.caughtUp();
    this.#showEnd(result);
  }

  /** Runs until there is nothing left to decide and no message that the agent has not read. */
  async #runAndAsk(work: Work, signal: AbortSignal): Promise<RunResult> {
    const { conversation, follower, neverAsks } = await this.#opened();
    const { screen } = this;
    const questions = this.#questions;
    const decisions = new CallDecisions(this.#options, questions);
    for (;;) {
      screen.status.set('waiting for the model');
      const result = await work({
        onDelta: (delta) => {
          screen.status.set(delta.kind === 'reasoning' ? 'thinking' : 'writing');
          follower.addDelta(delta);
        },
        onOutput: (chunk, event) => {
          screen.status.set(`running ${event.tool_name}`);
          screen.live.addOutput(chunk, event.id);
          screen.draw();
        },
        ...(!neverAsks && { askOutside: async (refusal, event) => questions.allowsOutside(refusal, event) }),
        onChildWaiting: async ({ subAgent, conversation: child }) => {
          await decisions.decide(child, signal, subAgent);
        },
      });
      await follower.caughtUp();
      if (result.reason === 'waiting' && !signal.aborted && (await decisions.decide(conversation, signal))) continue;
      const isDone = result.reason === 'finished' || result.reason === 'asked';
      if (!isDone || !hasUnreadMessage(conversation)) return result;
    }
  }

  #showEnd(result: RunResult): void {
    const { live } = this.screen;
    live.endReply();
    live.endOutput();
    const goal = this.conversation && goalLine(this.conversation);
    if (goal) this.screen.printLines([goal]);
    if (result.reason === 'error') this.report(result.error);
    const sentence = endSentence(result);
    if (sentence !== undefined) this.screen.print(sentence, 'yellow');
  }
}

/** Reports whether a message of the user came after everything that the agent wrote. */
function hasUnreadMessage({ state }: Conversation): boolean {
  const last = state.view.events.findLast(
    (event) => isOfAgent(event) || (MessageEvent.is(event) && event.source === 'user'),
  );
  return last !== undefined && !isOfAgent(last);
}

function isOfAgent(event: BaseEvent): boolean {
  return ActionEvent.is(event) || (MessageEvent.is(event) && event.source === 'agent');
}
