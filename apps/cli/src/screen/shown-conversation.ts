import type { Conversation } from '@varve/agent';
import { pathsLeft } from '../wording/plan-lines.ts';
import type { Questions } from '@varve/host/people';
import type { PreparedAgent } from '@varve/settings/agent';
import type { ConfirmMode } from '../opening/confirm-modes.ts';
import type { RunOptions } from '../opening/run-options.ts';
import type { FollowedLog } from '../conversations/branch-events.ts';
import { showBranch } from './transcript.ts';
import { stateOfNew } from '../opening/state-of-new.ts';
import { stateOfOpen, stateOfPlace } from './footer-state.ts';
import { prepareSession, type OpenSession, type PreparedSession } from './open-session.ts';
import { policyOfMode } from '../opening/policy-of-mode.ts';
import { isHeld, reportProblem } from './report-problem.ts';
import type { Screen } from './screen.ts';
import { watchSession, type WatchedSession } from './watched-session.ts';

/** Conversation on the screen of a session: not stored yet, open, or only watched while another process holds it. */
export class ShownConversation {
  /** Options of the conversation; `resume` is its id once it is stored. */
  options: RunOptions;
  readonly #screen: Screen;
  readonly #questions: Questions;
  #open: OpenSession | undefined;
  /** Agent of a conversation that is not open yet, once it is needed. */
  #prepared: PreparedSession | undefined;
  #watched: WatchedSession | undefined;
  /** Conversation whose events are on the screen, and their number. */
  #shown: { readonly id: string; readonly count: number } | undefined;

  constructor(options: RunOptions, screen: Screen, questions: Questions) {
    this.options = options;
    this.#screen = screen;
    this.#questions = questions;
  }

  /** The conversation, while it is open. */
  get conversation(): Conversation | undefined {
    return this.#open?.hosted.conversation;
  }

  /** Id of the conversation, also of one that another process holds. */
  get id(): string | undefined {
    return this.#open?.hosted.conversation.id ?? this.#watched?.id;
  }

  /** Directory of the agent. */
  get workspace(): string {
    const { workspace = this.#screen.io.cwd } = this.options;
    return this.#open?.hosted.conversation.workspace ?? this.#watched?.workspace ?? workspace;
  }

  /** Opens the conversation of `resume`, or shows what a new one would use. Returns the conversation that it opened. */
  async start(): Promise<Conversation | undefined> {
    const { resume } = this.options;
    if (resume === undefined) {
      this.#screen.footer.replace(await stateOfNew(this.options, this.#screen.io));
      await this.#showPlace(this.workspace);
      return undefined;
    }
    try {
      return (await this.opened()).hosted.conversation;
    } catch (error) {
      if (!isHeld(error)) throw error;
      await this.#watch(resume);
      if (this.#watched?.served)
        this.#screen.print('A server works on this conversation. It reads what you type.', 'yellow');
      else reportProblem(error, this.#screen);
      return undefined;
    }
  }

  /** The conversation of another process, while it is watched. */
  get watched(): WatchedSession | undefined {
    return this.#watched;
  }

  /** @throws {Error} if a server works on the conversation, with settings that are not those of this session. */
  checkUnserved(): void {
    if (this.#watched?.served)
      throw new Error('A server works on this conversation, with a model, a mode and a sandbox of its own.');
  }

  /** Opens the conversation, or creates it, unless it is open. */
  async opened(): Promise<OpenSession> {
    if (this.#open) return this.#open;
    const preparing = await this.#preparedSession();
    this.#prepared = undefined;
    const opened = await preparing.open(this.#firstShown);
    this.#open = opened;
    const { prepared } = opened;
    const { conversation } = opened.hosted;
    this.options = { ...this.options, resume: conversation.id };
    this.#screen.footer.update(stateOfOpen(conversation, prepared));
    await this.#showPlace(conversation.workspace);
    return opened;
  }

  /** Changes what is asked about from the next decision on, with the rules that are stored by now. */
  async setMode(mode: ConfirmMode): Promise<void> {
    this.checkUnserved();
    this.options = { ...this.options, confirm: mode };
    const { conversation, workspace } = this;
    await conversation?.setConfirmation(await policyOfMode(mode, workspace, this.#screen.io));
    await this.#endPreparation();
    this.#screen.footer.update({ mode });
    this.#screen.draw();
  }

  /** Returns the agent, which is prepared if it is not; undefined while another process holds the conversation. */
  async prepared(): Promise<PreparedAgent | undefined> {
    if (this.#watched) return undefined;
    return (this.#open ?? (await this.#preparedSession())).prepared;
  }

  /** Closes the conversation; its transcript stays on the screen. */
  async close(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await this.#endWatch();
    await this.#endPreparation();
    if (!open) return;
    await open[Symbol.asyncDispose]();
    this.#shown = { id: open.hosted.conversation.id, count: open.follower.next };
  }

  /**
   * Goes to an event on any branch, or before all events, and shows the conversation up to there. With files, it
   * returns the paths of those that are not as they were.
   */
  async goTo(eventId: string | undefined, withFiles = false): Promise<readonly string[] | undefined> {
    const { hosted, follower } = await this.opened();
    const { conversation } = hosted;
    const rewound = await conversation.navigate(eventId, { scope: withFiles ? 'both' : 'chat' });
    await follower.caughtUp();
    this.#screen.clear();
    await showBranch(conversation, this.#screen);
    return withFiles ? pathsLeft(rewound) : undefined;
  }

  /** Removes the transcript from the screen. */
  clear(): void {
    this.#shown = undefined;
    this.#screen.clear();
  }

  async #preparedSession(): Promise<PreparedSession> {
    return (this.#prepared ??= await prepareSession(this.options, this.#screen, this.#questions));
  }

  /** Ends an agent whose options are not those of the conversation any more. */
  async #endPreparation(): Promise<void> {
    const prepared = this.#prepared;
    this.#prepared = undefined;
    await prepared?.[Symbol.asyncDispose]();
  }

  /** Shows the conversation from its log until it can be opened. */
  async #watch(id: string): Promise<void> {
    const { store } = this.options;
    this.#watched = await watchSession({ id, store, from: this.#firstShown }, this.#screen, this.#questions);
    await this.#showPlace(this.#watched.workspace);
  }

  /** Stops watching, and keeps the number of the events that are shown. */
  async #endWatch(): Promise<void> {
    const watched = this.#watched;
    this.#watched = undefined;
    if (!watched) return;
    await watched[Symbol.asyncDispose]();
    this.#shown = { id: watched.id, count: watched.follower.next };
  }

  /** Shows the events of a conversation that is not on the screen. Returns the seq of the first one that follows. */
  readonly #firstShown = async (log: FollowedLog): Promise<number> => {
    await this.#endWatch();
    const { resume = '' } = this.options;
    const { head } = log.state;
    if (this.#shown?.id.startsWith(resume) && resume !== '') return Math.min(head, this.#shown.count);
    await showBranch(log, this.#screen);
    return head;
  };

  async #showPlace(directory: string): Promise<void> {
    this.#screen.footer.update(await stateOfPlace(directory, this.options, this.#screen.io));
    this.#screen.draw();
  }
}
