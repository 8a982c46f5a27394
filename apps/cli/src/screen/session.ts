import type { Conversation } from '@varve/agent';
import type { PreparedAgent } from '@varve/settings/agent';
import type { CommandTable } from '../command-line/command-line.ts';
import type { ConfirmMode } from '../opening/confirm-modes.ts';
import type { RunOptions } from '../opening/run-options.ts';
import { taskQueue } from '@varve/host/kit';
import { questionsTo } from '../opening/questions-to.ts';
import { settingsFor } from '../home/settings.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { reportProblem } from './report-problem.ts';
import type { CommandFor } from './command-for.ts';
import { SessionRuns, type PromptOrder } from './session-runs.ts';
import { sessionServers } from './session-servers.ts';
import { SessionShell } from './session-shell.ts';
import { screenPerson } from './screen-person.ts';
import type { Screen } from './screen.ts';
import { ShownConversation } from './shown-conversation.ts';
import { asksToContinue } from './unfinished-work.ts';

/** Conversation of a person with an agent on a screen. A new one is stored with its first message. */
export class Session implements AsyncDisposable {
  readonly io: TerminalIo;
  readonly screen: Screen;
  /** Commands of the program that it can run. */
  readonly commands: CommandTable['commands'];
  readonly shell: SessionShell;
  readonly #shown: ShownConversation;
  readonly #runs: SessionRuns;
  /** Runs what opens, uses or closes the conversation. */
  readonly #inTurn = taskQueue();
  /** Commands of files. */
  prompts: Promise<readonly CommandFor<Session>[]> = Promise.resolve([]);
  /** Resources and prompts of its servers of tools. */
  readonly servers: ReturnType<typeof sessionServers>;
  readonly #disposal = new AbortController();
  readonly #ended = Promise.withResolvers<void>();

  constructor(options: RunOptions, io: TerminalIo, screen: Screen, commands: CommandTable['commands']) {
    this.io = io;
    this.screen = screen;
    this.commands = commands;
    const questions = questionsTo(screenPerson(screen), io, { options: () => this.options });
    this.#shown = new ShownConversation(options, screen, questions);
    this.shell = new SessionShell(screen, io);
    this.servers = sessionServers(async (mayStart) => this.#offers(mayStart), this.#disposal.signal);
    this.#runs = new SessionRuns(this.#shown, { screen, questions, shell: this.shell });
  }

  /** Options of the conversation; `resume` is its id once it is stored. */
  get options(): RunOptions {
    return this.#shown.options;
  }

  /** The conversation, once it is stored. */
  get conversation(): Conversation | undefined {
    return this.#shown.conversation;
  }

  /** Id of the conversation, also of one that another process holds. */
  get id(): string | undefined {
    return this.#shown.id;
  }

  /** Directory of the agent. */
  get workspace(): string {
    return this.#shown.workspace;
  }

  /** Resolves when the person leaves. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** Leaves the session. */
  quit(): void {
    this.#ended.resolve();
  }

  /** Opens the conversation of `resume`, or shows what a new one would use. A message decides what waits. */
  async start(message?: string): Promise<void> {
    return this.#inTurn(async () => this.#start(message === undefined ? undefined : AbortSignal.abort()));
  }

  /** Closes the conversation, and continues it with another model or sandbox. */
  async reopen(changes: Omit<RunOptions, 'resume' | 'confirm'>): Promise<void> {
    return this.#inTurn(async () => {
      this.#shown.checkUnserved();
      const { model: _model, baseUrl: _baseUrl, ...others } = this.options;
      // A named model is stronger than that of a profile.
      await this.#restart({ ...(changes.profile === undefined ? this.options : others), ...changes });
      // What was approved was approved with the rights that applied.
      if (changes.sandbox !== undefined) this.#runs.endApprovals();
    });
  }

  /** Changes what is asked about, also while the agent works. */
  async setMode(mode: ConfirmMode): Promise<void> {
    return this.#inTurn(async () => {
      await this.#shown.setMode(mode);
      // What was approved was approved with the rights that applied.
      this.#runs.endApprovals();
    });
  }

  /** Continues with another conversation and the same options; with a new one without an id. */
  async switchTo(id?: string): Promise<void> {
    return this.#inTurn(async () => {
      const { resume: _resume, ...options } = this.options;
      await this.#restart(id === undefined ? options : { ...options, resume: id }, () => this.#shown.clear());
      this.#runs.endApprovals();
    });
  }

  /** Sends a message: to the run in progress, or to a new one. With `goal` it is an objective. */
  async send(text: string, { goal = false } = {}): Promise<void> {
    return this.#inTurn(async () => this.#runs.send(text, goal));
  }

  /** Sends the messages of a prompt of a server as a message. */
  async sendPrompt(prompt: PromptOrder): Promise<void> {
    return this.#inTurn(async () => this.#runs.sendPrompt(prompt));
  }

  /** Opens the conversation, or creates it. */
  async opened(): Promise<Conversation> {
    return this.#inTurn(async () => (await this.#shown.opened()).hosted.conversation);
  }

  /** Goes to an event on any branch, or before all events, and shows the conversation up to there. */
  async goTo(eventId: string | undefined, withFiles = false): Promise<readonly string[] | undefined> {
    return this.#inTurn(async () => this.#shown.goTo(eventId, withFiles));
  }

  /** Continues a conversation whose run was interrupted. */
  async continueRun(): Promise<void> {
    return this.#inTurn(async () => this.#runs.continue());
  }

  /** Ends a command of the person, or interrupts the run and leaves a question undecided. False if nothing runs. */
  interrupt(): boolean {
    return this.shell.interrupt() || this.#runs.interrupt();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposal.abort();
    this.#runs.interrupt();
    await this.#inTurn(async () => {
      this.#runs.interrupt();
      await Promise.all([this.#runs.ended, this.shell.end()]);
      await this.#shown.close();
    });
  }

  /** Returns what the servers offer; without `mayStart` only those of an open conversation. */
  async #offers(mayStart: boolean): Promise<PreparedAgent['offers']> {
    if (!mayStart && !this.conversation) return undefined;
    return this.#inTurn(async () => (await this.#shown.prepared())?.offers);
  }

  async #start(signal?: AbortSignal): Promise<void> {
    const settings = await settingsFor(this.io, { workspace: this.workspace });
    this.screen.rings = settings.get('session.bell') ?? false;
    const conversation = await this.#shown.start();
    if (!conversation) return;
    const continued = asksToContinue(conversation, this.screen, signal).then(
      async (isYes) => isYes && this.continueRun(),
    );
    void continued.catch((error: unknown) => reportProblem(error, this.screen));
  }

  /** Starts again with other options, or with those before if that fails. */
  async #restart(options: RunOptions, beforeStart?: () => void): Promise<void> {
    if (this.#runs.isRunning) throw new Error('Press Esc first: the agent is working.');
    const before = this.options;
    await this.#shown.close();
    this.#shown.options = options;
    beforeStart?.();
    try {
      await this.#start();
    } catch (error) {
      this.#shown.options = before;
      await this.#start();
      throw error;
    }
  }
}
