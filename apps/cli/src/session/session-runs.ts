import { titleModelOf, titleWriterOf } from '../run/title-writer.ts';
import type { RunResult } from '@varve/agent';
import { text, type Content } from '@varve/events';
import { attachedFiles } from '../run/attached-files.ts';
import { CallDecisions } from '../run/decide-calls.ts';
import { endSentence } from '../run/report-end.ts';
import { goalLine, startWork, type Work } from '../run/start-work.ts';
import { attachedImages } from './attached-images.ts';
import { attachedResources } from './attached-resources.ts';
import { reportProblem } from './report-problem.ts';
import { runOnScreen } from './run-on-screen.ts';
import type { ScreenQuestions } from './screen-questions.ts';
import type { Screen } from './screen.ts';
import type { Session } from './session.ts';
import type { SessionShell } from './session-shell.ts';
import type { ShownConversation } from './shown-conversation.ts';

/** Parts of a session that its runs use. */
interface SessionParts {
  readonly screen: Screen;
  readonly questions: ScreenQuestions;
  readonly shell: SessionShell;
}

/** Runs of a session, one at a time, and what the person approved for all of them. */
export class SessionRuns {
  readonly #shown: ShownConversation;
  readonly #screen: Screen;
  readonly #questions: ScreenQuestions;
  readonly #shell: SessionShell;
  #running: Promise<void> | undefined;
  #interruption = new AbortController();
  #decisions: CallDecisions | undefined;
  #reading: AbortController | undefined;

  constructor(shown: ShownConversation, { screen, questions, shell }: SessionParts) {
    this.#shown = shown;
    this.#screen = screen;
    this.#questions = questions;
    this.#shell = shell;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Resolves when nothing runs. */
  get ended(): Promise<void> {
    return this.#running ?? Promise.resolve();
  }

  /** Sends a message: to the run in progress, or to a new one. With `goal` it is an objective. */
  async send(message: string, goal: boolean): Promise<void> {
    // What was typed is kept until it can be sent.
    const keep = (error: unknown): never => {
      this.#screen.editor.setText(message);
      this.#screen.draw();
      throw error;
    };
    const { conversation, prepared } = await this.#shown.opened().catch(keep);
    const isGoal = goal && !this.isRunning;
    const { workspace } = conversation;
    const images = await attachedImages(message, prepared.agent.model, workspace, this.#questions.io);
    const read = async (signal: AbortSignal) => attachedResources(message, prepared, signal);
    const resources = await this.#interruptible(read).catch(keep);
    for (const problem of [...images.problems, ...resources.problems]) this.#screen.print(problem, 'yellow');
    const attached = [...images.content, ...resources.content];
    if (!isGoal)
      return this.#sendContent([text(message), ...attached, ...(await attachedFiles(message, conversation))]);
    await this.#store(attached);
    this.#start(await startWork(conversation, message, { goal }));
  }

  /** Sends the messages of a prompt of a server, as a message. */
  async sendPrompt(...[prompt, values]: Parameters<Session['sendPrompt']>): Promise<void> {
    const { prepared } = await this.#shown.opened();
    const content = await this.#interruptible(async (signal) => prepared.offers?.prompt(prompt, values, signal));
    if (content) await this.#sendContent(content);
  }

  /** Sends a message, and runs the conversation unless it runs. */
  async #sendContent(content: readonly Content[]): Promise<void> {
    await this.#store(content);
    if (this.isRunning) this.#screen.status.hint('The agent reads the message before its next step.');
    else await this.continue();
  }

  /** Stores a message with the unread commands of the person; none if there is nothing to store. */
  async #store(content: readonly Content[]): Promise<void> {
    const { conversation } = await this.#shown.opened();
    const whole = [...content, ...this.#shell.unread.map((each) => text(each))];
    if (whole.length > 0) await conversation.send(whole);
    this.#shell.clearUnread();
  }

  /** Runs the conversation, unless it runs. */
  async continue(): Promise<void> {
    const { conversation } = await this.#shown.opened();
    if (!this.isRunning) this.#start(async (options) => conversation.run(options));
  }

  /** Runs what the person waits for before a message is sent. */
  async #interruptible<T>(read: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.#reading = new AbortController();
    return read(this.#reading.signal).finally(() => (this.#reading = undefined));
  }

  /** Interrupts the run, and leaves a question undecided. Returns false if nothing runs. */
  interrupt(): boolean {
    if (this.#reading) {
      this.#reading.abort(new Error('The message was not sent.'));
      return true;
    }
    if (!this.isRunning) return false;
    this.#interruption.abort();
    this.#questions.cancel();
    void this.#shown.conversation?.interrupt();
    return true;
  }

  /** Forgets what was approved for the session. */
  endApprovals(): void {
    this.#decisions = undefined;
    this.#questions.endApprovals();
  }

  /** Starts to work on the conversation. What fails is printed. */
  #start(work: Work): void {
    this.#interruption = new AbortController();
    this.#running = this.#runToEnd(work, this.#interruption.signal)
      .catch((error: unknown) => reportProblem(error, this.#screen))
      .finally(() => {
        this.#running = undefined;
        this.#screen.status.hint('');
        this.#screen.status.set(undefined);
      });
  }

  async #runToEnd(work: Work, signal: AbortSignal): Promise<void> {
    const open = await this.#shown.opened();
    const { conversation, prepared, follower } = open;
    await using title = titleWriterOf(conversation, async () => titleModelOf(prepared));
    title.start();
    const [questions, screen] = [this.#questions, this.#screen];
    // What was approved may be forgotten while it runs.
    const decide: CallDecisions['decide'] = async (...calls) => {
      this.#decisions ??= new CallDecisions(this.#shown.options, questions);
      return this.#decisions.decide(...calls);
    };
    const result = await runOnScreen(work, { open, decide, questions, screen, signal });
    if (result.reason === 'finished') await title.finished();
    await follower.caughtUp();
    this.#showEnd(result);
  }

  #showEnd(result: RunResult): void {
    const { live } = this.#screen;
    live.endReply();
    live.endOutput();
    const { conversation } = this.#shown;
    const goal = conversation && goalLine(conversation);
    if (goal) this.#screen.printLines([goal]);
    if (result.reason === 'error') reportProblem(result.error, this.#screen);
    const sentence = endSentence(result);
    if (sentence !== undefined) this.#screen.print(sentence, 'yellow');
  }
}
