import type { Conversation, RunResult } from '@varve/agent';
import { StorageError } from '@varve/storage';
import type { CommandTable } from '../command-line.ts';
import { describeFailure } from '../describe-failure.ts';
import { endSentence } from '../run/report-end.ts';
import type { RunOptions } from '../run/run-options.ts';
import { goalLine, startWork, type Work } from '../run/start-work.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { withImages } from './attached-images.ts';
import { eventParts } from './event-parts.ts';
import { stateOfNew, stateOfOpen, stateOfPlace } from './footer-state.ts';
import { openSession, type OpenSession } from './open-session.ts';
import { runOnScreen } from './run-on-screen.ts';
import type { SessionCommand } from './session-command.ts';
import { ScreenQuestions } from './screen-questions.ts';
import type { Screen } from './screen.ts';
import { unfinishedWork } from './unfinished-work.ts';
import { watchSession, type WatchedSession } from './watched-session.ts';

/** Longest time that a title takes, in milliseconds. */
const maxTitleMs = 30_000;

/** Events of a resumed conversation that are shown; earlier ones are counted. */
const shownEvents = 200;

/** Conversation of a person with an agent on a screen. A new one is stored with its first message. */
export class Session implements AsyncDisposable {
  readonly io: TerminalIo;
  readonly screen: Screen;
  /** Commands of the program that it can run. */
  readonly commands: CommandTable['commands'];
  #options: RunOptions;
  #open: OpenSession | undefined;
  /** The conversation, while another process holds it. */
  #watched: WatchedSession | undefined;
  /** Conversation whose events are on the screen, and their number. */
  #shown: { readonly id: string; readonly count: number } | undefined;
  #running: Promise<void> | undefined;
  #interruption = new AbortController();
  readonly #questions: ScreenQuestions;
  /** Commands of files. */
  prompts: Promise<readonly SessionCommand[]> = Promise.resolve([]);
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

  /** Id of the conversation, also of one that another process holds. */
  get id(): string | undefined {
    return this.#open?.conversation.id ?? this.#watched?.id;
  }

  /** Directory of the agent. */
  get workspace(): string {
    return this.#open?.conversation.workspace ?? this.#watched?.workspace ?? this.#options.workspace ?? this.io.cwd;
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
    if (this.#options.resume === undefined) return this.#describeNew();
    try {
      const { conversation } = await this.#opened();
      void this.#offerToContinue(conversation).catch((error: unknown) => this.report(error));
    } catch (error) {
      if (!isHeld(error)) throw error;
      await this.#watch(this.#options.resume);
      this.report(error);
    }
  }

  /** Closes the conversation, and continues with other options: another conversation, model, policy or sandbox. */
  async reopen(changes: Partial<RunOptions>): Promise<void> {
    if (this.isRunning) throw new Error('Press Esc first: the agent is working.');
    const before = this.#options;
    await this.#close();
    this.#options = { ...before, ...changes };
    if (changes.resume !== undefined) this.#clear();
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
    this.#clear();
    await this.start();
  }

  /** Sends a message: to the run in progress, or to a new one. With `goal` it is an objective. */
  async send(text: string, { goal = false } = {}): Promise<void> {
    const { conversation, prepared } = await this.#opened().catch((error: unknown) => {
      // What was typed is kept until it can be sent.
      this.screen.editor.setText(text);
      this.screen.draw();
      throw error;
    });
    if (goal && !this.isRunning) return this.#run(await startWork(conversation, text, { goal }));
    const { input, problems } = await withImages(text, prepared.agent.model, this.workspace, this.io);
    for (const problem of problems) this.screen.print(problem, 'yellow');
    await conversation.send(input);
    if (this.isRunning) this.screen.status.hint('The agent reads the message before its next step.');
    else this.#run(async (options) => conversation.run(options));
  }

  /** Opens the conversation, or creates it. */
  async opened(): Promise<Conversation> {
    return (await this.#opened()).conversation;
  }

  /** Goes to an event on any branch, or before all events, and shows the conversation up to there. */
  async goTo(eventId: string | undefined): Promise<void> {
    const { conversation, follower } = await this.#opened();
    await conversation.navigate(eventId);
    await follower.caughtUp();
    const { theme, folding } = this.screen;
    this.screen.clear();
    for (const event of conversation.state.view.events)
      this.screen.add(eventParts(event, { theme, folding, workspace: conversation.workspace }));
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
    if (isHeld(error)) {
      this.screen.print('Another window works on this conversation. It is read-only here.', 'yellow');
      this.screen.print('When that one has ended, a message or /continue works on it here.', 'dim');
      return;
    }
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
    const opened = await openSession(this.#options, this.screen, this.#questions, this.#firstShown);
    this.#open = opened;
    const { conversation, prepared } = opened;
    this.#options = { ...this.#options, resume: conversation.id };
    this.screen.footer.update(stateOfOpen(conversation, prepared));
    await this.#showPlace(conversation.workspace);
    return opened;
  }

  /** Shows the conversation from its log until it can be opened. */
  async #watch(id: string): Promise<void> {
    this.#watched = await watchSession(
      { id, store: this.#options.store, from: this.#firstShown },
      this.screen,
      this.io,
    );
    await this.#showPlace(this.#watched.workspace);
  }

  /** Ends a conversation's part of the screen, and keeps what is shown of it. */
  async #endWatch(): Promise<void> {
    const watched = this.#watched;
    this.#watched = undefined;
    if (!watched) return;
    await watched[Symbol.asyncDispose]();
    this.#shown = { id: watched.id, count: watched.follower.shown };
  }

  /** Events before the last ones, or before those that are on the screen, are not shown. */
  readonly #firstShown = async (head: number): Promise<number> => {
    await this.#endWatch();
    const { resume = '' } = this.#options;
    if (this.#shown?.id.startsWith(resume) && resume !== '') return Math.min(head, this.#shown.count);
    const from = resume === '' ? 0 : Math.max(0, head - shownEvents);
    if (from > 0) this.screen.print(`… ${from} earlier events (/history shows all)`, 'dim');
    return from;
  };

  /** Shows what the last process left open, and asks whether to continue with it. */
  async #offerToContinue({ state }: Conversation): Promise<void> {
    const unfinished = unfinishedWork(state);
    if (!unfinished) return;
    this.screen.printLines(unfinished.lines);
    const items = [
      { value: 'y', label: 'yes' },
      { value: 'n', label: 'not now (/continue does it later)' },
    ];
    if ((await this.screen.choose({ title: unfinished.question, items })) === 'y') await this.continueRun();
  }

  async #describeNew(): Promise<void> {
    this.screen.footer.replace(await stateOfNew(this.#options, this.io));
    await this.#showPlace(this.workspace);
  }

  async #showPlace(directory: string): Promise<void> {
    this.screen.footer.update(await stateOfPlace(directory, this.#options, this.io));
    this.screen.draw();
  }

  /** Removes the transcript from the screen. */
  #clear(): void {
    this.#shown = undefined;
    this.screen.clear();
  }

  async #close(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await this.#endWatch();
    if (!open) return;
    await open[Symbol.asyncDispose]();
    this.#shown = { id: open.conversation.id, count: open.follower.shown };
  }

  #run(work: Work): void {
    this.#interruption = new AbortController();
    this.#running = this.#runToEnd(work, this.#interruption.signal)
      .catch((error: unknown) => this.report(error))
      .finally(() => {
        this.#running = undefined;
        this.screen.status.hint('');
        this.screen.status.set(undefined);
      });
  }

  async #runToEnd(work: Work, signal: AbortSignal): Promise<void> {
    const open = await this.#opened();
    const { conversation, prepared, follower } = open;
    const model = async () => (await prepared.ownModel('title').catch(() => undefined)) ?? 'none';
    await using title = conversation.titleWriter({ model, maxMs: maxTitleMs, onFailure: () => undefined });
    title.start();
    const result = await runOnScreen(work, {
      open,
      options: this.#options,
      questions: this.#questions,
      screen: this.screen,
      signal,
    });
    if (result.reason === 'finished') await title.finished();
    await follower.caughtUp();
    this.#showEnd(result);
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

/** Reports whether an error is about a conversation that another process holds. */
function isHeld(error: unknown): boolean {
  return error instanceof StorageError && error.code === 'held';
}
