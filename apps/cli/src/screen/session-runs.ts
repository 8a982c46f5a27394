import type { Conversation, RunResult } from '@varve/agent';
import { text, type BaseEvent, type Content } from '@varve/events';
import { ObservationEvent } from '@varve/events/kinds';
import type { Work } from '@varve/host';
import type { Questions } from '@varve/host/people';
import { attachedFiles } from '../opening/attached-files.ts';
import { modeContent } from '../opening/confirm-modes.ts';
import { endSentence } from '../wording/end-sentence.ts';
import { goalLine, startWork } from '../opening/start-work.ts';
import { attachedImages } from './attached-images.ts';
import { attachedResources } from './attached-resources.ts';
import { isOfUser } from './message-tree.ts';
import type { OpenSession } from './open-session.ts';
import { isHeld, reportProblem } from './report-problem.ts';
import type { Screen } from './screen.ts';
import { sendServed } from './send-served.ts';
import type { SessionShell } from './session-shell.ts';
import type { ShownConversation } from './shown-conversation.ts';
import { waitingCalls } from './unfinished-work.ts';

/** Prompt of a server of tools, and its arguments by name. */
export interface PromptOrder {
  readonly server: string;
  readonly name: string;
  readonly values: Readonly<Record<string, string>>;
}

/** Hint while a run answers a message later. */
const queued = 'The agent reads the message before its next step.';

/** Sentence after calls that are not decided. */
const laterHint = '/continue asks again, a message rejects what is not decided.';

/** Parts of a session that its runs use. */
interface SessionParts {
  readonly screen: Screen;
  readonly questions: Questions;
  readonly shell: SessionShell;
}

/** Runs of a session, one at a time, and what the person approved for all of them. */
export class SessionRuns {
  readonly #shown: ShownConversation;
  readonly #screen: Screen;
  readonly #questions: Questions;
  readonly #shell: SessionShell;
  #running: Promise<void> | undefined;
  #interruption = new AbortController();
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
    const open = await this.#openUnlessServed().catch(keep);
    if (!open) return this.#sendServed(message, goal).catch(keep);
    const { hosted, prepared } = open;
    const { conversation } = hosted;
    const isGoal = goal && !this.isRunning;
    const { workspace } = conversation;
    const images = await attachedImages(message, prepared.agent.model, workspace, this.#screen.io);
    const read = async (signal: AbortSignal) => attachedResources(message, prepared, signal);
    const resources = await this.#interruptible(read).catch(keep);
    for (const problem of [...images.problems, ...resources.problems]) this.#screen.print(problem, 'yellow');
    const attached = [...images.content, ...resources.content];
    if (!isGoal)
      return this.#sendContent([text(message), ...attached, ...(await attachedFiles(message, conversation))]);
    await this.#store(attached);
    this.#start(await startWork(conversation, message, { goal }));
  }

  /** Opens the conversation; returns undefined if a server holds it. */
  async #openUnlessServed(): Promise<OpenSession | undefined> {
    const { served } = this.#shown.watched ?? {};
    return this.#shown.opened().catch((error: unknown) => {
      if (served && isHeld(error)) return undefined;
      throw error;
    });
  }

  /** Sends a message to the server that holds the conversation. */
  async #sendServed(message: string, goal: boolean): Promise<void> {
    const { workspace, watched } = this.#shown;
    if (!watched?.served) return;
    await sendServed(watched.served, { message, goal, unread: this.#shell.unread, workspace }, this.#screen);
    this.#shell.clearUnread();
  }

  /** Sends the messages of a prompt of a server, as a message. */
  async sendPrompt({ values, ...prompt }: PromptOrder): Promise<void> {
    const { prepared } = await this.#shown.opened();
    const content = await this.#interruptible(async (signal) => prepared.offers?.prompt(prompt, values, signal));
    if (content) await this.#sendContent(content);
  }

  /** Sends a message, and runs the conversation: the run in progress answers it too. */
  async #sendContent(content: readonly Content[]): Promise<void> {
    await this.#store(content);
    const { hosted } = await this.#shown.opened();
    if (!hosted.runs.isActive) {
      // A run that has ended may still be shown.
      await this.ended;
      return this.continue();
    }
    void hosted.run().catch(() => undefined);
    this.#screen.status.hint(queued);
  }

  /** Stores a message with the unread commands of the person; none if there is nothing to store. */
  async #store(content: readonly Content[]): Promise<void> {
    const { hosted } = await this.#shown.opened();
    const whole = [...content, ...this.#shell.unread.map((each) => text(each))];
    if (whole.length > 0) await hosted.send([...whole, ...modeContent(hosted.conversation)]);
    this.#shell.clearUnread();
  }

  /** Runs the conversation, unless it runs. */
  async continue(): Promise<void> {
    if (!(await this.#openUnlessServed())) return this.#shown.watched?.continue();
    if (!this.isRunning) this.#start();
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
    if (!this.isRunning) return this.#shown.watched?.interrupt() ?? false;
    this.#interruption.abort();
    return true;
  }

  /** Forgets what was approved for the session. */
  endApprovals(): void {
    this.#questions.endApprovals();
  }

  /** Starts to work on the conversation. What fails is printed. */
  #start(work?: Work): void {
    this.#interruption = new AbortController();
    this.#running = this.#runToEnd(work, this.#interruption.signal)
      .catch((error: unknown) => reportProblem(error, this.#screen))
      .finally(() => {
        this.#running = undefined;
        this.#screen.status.removeHint(queued);
        this.#screen.status.set(undefined);
      });
  }

  async #runToEnd(work: Work | undefined, signal: AbortSignal): Promise<void> {
    const { hosted } = await this.#shown.opened();
    this.#screen.status.set('waiting for the model');
    const before = hosted.conversation.state.view.events.length;
    const result = await hosted.run({ work, signal, questions: this.#questions, continues: () => false });
    this.#showEnd(result, before);
  }

  #showEnd(result: RunResult, before: number): void {
    this.#screen.ring();
    const { live } = this.#screen;
    live.endReply();
    live.endOutput();
    const { conversation } = this.#shown;
    const goal = conversation && goalLine(conversation);
    if (goal) this.#screen.printLines([goal]);
    if (result.reason === 'error') reportProblem(result.error, this.#screen);
    const waiting = result.reason === 'waiting' ? `${waitingCalls(result.calls)}: ${laterHint}` : undefined;
    // The event of an interruption is shown.
    const sentence = waiting ?? (result.reason === 'interrupted' ? undefined : endSentence(result));
    if (sentence !== undefined) this.#screen.print(sentence, 'yellow');
    const { text: evidence, isContradicted } = result.evidence ?? {};
    if (evidence !== undefined && answered.has(result.reason))
      this.#screen.print(evidence, isContradicted ? 'yellow' : 'dim');
    const unread = conversation && unreadLine(conversation, before);
    if (unread !== undefined && !answered.has(result.reason)) this.#screen.print(unread, 'yellow');
  }
}

/** Ends of runs that the model reached. */
const answered: ReadonlySet<RunResult['reason']> = new Set(['finished', 'asked', 'waiting']);

/** Returns the sentence about messages of the view, from an index on, that the model has not answered. */
function unreadLine({ state }: Pick<Conversation, 'state'>, from: number): string | undefined {
  const later = state.view.events.slice(from);
  const { length } = later.slice(later.findLastIndex(isOfAgent) + 1).filter((event) => isOfUser(event));
  if (length === 0) return undefined;
  return length === 1
    ? 'Your last message is not answered: it waits for /continue or for the next one.'
    : `Your last ${length} messages are not answered: they wait for /continue or for the next one.`;
}

function isOfAgent(event: BaseEvent): boolean {
  return event.source === 'agent' || ObservationEvent.is(event);
}
