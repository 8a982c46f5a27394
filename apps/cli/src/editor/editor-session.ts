import {
  methods,
  RequestError,
  type AgentContext,
  type ContentBlock,
  type SessionModeState,
  type SessionUpdate,
  type StopReason,
} from '@agentclientprotocol/sdk';
import type { Conversation, RunResult } from '@varve/agent';
import type { Questions } from '@varve/host/people';
import type { Settings } from '@varve/settings';
import type { PreparedAgent } from '@varve/settings/agent';
import { redactor } from '@varve/text';
import { confirmModes, modeContent, modeOf, type ConfirmMode } from '../opening/confirm-modes.ts';
import { openRun, type OpenRun, type RunPlace } from '../opening/open-run.ts';
import { endSentence } from '../wording/end-sentence.ts';
import { questionsTo } from '../opening/questions-to.ts';
import type { RunOptions } from '../opening/run-options.ts';
import { policyOfMode } from '../screen/policy-of-mode.ts';
import type { Printable } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { EditorPerson } from './editor-person.ts';
import { contentOf } from './prompt-content.ts';
import { SessionUpdates } from './session-updates.ts';

interface OpenParts extends OpenRun, AsyncDisposable {
  readonly updates: SessionUpdates;
}

/** Editor of a session, and what it brings. */
export interface EditorPlace {
  readonly io: TerminalIo;
  readonly client: AgentContext;
  readonly servers: NonNullable<RunPlace['clientServers']>;
}

/** Session of an editor: one conversation, which is stored with its first prompt. */
export class EditorSession implements AsyncDisposable {
  readonly #id: string;
  readonly #client: AgentContext;
  readonly #questions: Questions;
  readonly #io: TerminalIo;
  readonly #clientServers: EditorPlace['servers'];
  #options: RunOptions;
  #mode: ConfirmMode;
  #open: Promise<OpenParts> | undefined;
  #running: Promise<unknown> | undefined;
  #interruption = new AbortController();

  constructor(id: string, options: RunOptions, settings: Settings, place: EditorPlace) {
    this.#id = id;
    this.#client = place.client;
    this.#options = options;
    this.#io = place.io;
    this.#clientServers = place.servers;
    const person = new EditorPerson(place.client, id);
    this.#questions = questionsTo(person, place.io, { options: () => this.#options });
    this.#mode = options.confirm ?? settings.get('confirmation.policy') ?? 'auto';
  }

  /** True while a prompt runs. */
  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Returns what the editor chooses from. */
  async choices(): Promise<{ readonly modes: SessionModeState }> {
    return { modes: { currentModeId: this.#mode, availableModes: availableModes() } };
  }

  /** Changes what is asked about from the next decision on. @throws {RequestError} for an unknown mode. */
  async setMode(modeId: string): Promise<void> {
    const mode = confirmModes.find(({ id }) => id === modeId);
    if (!mode) throw RequestError.invalidParams({ modeId }, 'There is no such mode.');
    this.#mode = mode.id;
    this.#options = { ...this.#options, confirm: mode.id };
    // What was approved was approved with the rights that applied.
    this.#questions.endApprovals();
    const conversation = (await this.#open?.catch(() => undefined))?.hosted.conversation;
    await conversation?.setConfirmation(await policyOfMode(mode.id, conversation.workspace, this.#io));
  }

  /** Sends all events of a stored conversation, also while a prompt runs. */
  async replay(): Promise<void> {
    const { hosted, prepared } = await this.#opened();
    const { conversation } = hosted;
    const updates = this.#updatesOf(conversation, prepared);
    updates.isReplay = true;
    for await (const { event } of conversation.events()) updates.addEvent(event);
  }

  /**
   * Runs the agent on a prompt, until a signal aborts.
   *
   * @throws {RequestError} while another prompt runs, for content that the model would not get, and when it fails.
   */
  async prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<StopReason> {
    if (this.#running) throw RequestError.invalidRequest(undefined, 'The agent is working on another prompt.');
    this.#interruption = new AbortController();
    const running = this.#promptOnce(blocks, AbortSignal.any([signal, this.#interruption.signal]));
    this.#running = running.catch(() => undefined);
    try {
      return await running;
    } finally {
      this.#running = undefined;
    }
  }

  /** Interrupts the prompt that runs. */
  cancel(): void {
    this.#interruption.abort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cancel();
    await this.#running;
    await this.#close();
  }

  async #promptOnce(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<StopReason> {
    const { hosted, prepared, updates } = await this.#opened();
    await hosted.send([...contentOf(blocks, prepared.agent.model), ...modeContent(hosted.conversation)]);
    const result = await hosted.run({ signal, questions: this.#questions });
    const sentence = signal.aborted ? undefined : endSentence(result);
    if (sentence !== undefined) updates.sendMessage(sentence);
    this.#send({ sessionUpdate: 'session_info_update', title: hosted.conversation.state.title ?? null });
    if (result.reason === 'error') throw result.error;
    return stopReasonOf(result);
  }

  async #opened(): Promise<OpenParts> {
    const opening = (this.#open ??= this.#openConversation());
    return opening.catch((error: unknown) => {
      if (this.#open === opening) this.#open = undefined;
      throw error;
    });
  }

  async #openConversation(): Promise<OpenParts> {
    await using open = new AsyncDisposableStack();
    const io = this.#io;
    const progress = { lineAbove: (line: Printable) => io.stderr.line(line) };
    const place = {
      io,
      progress,
      questions: this.#questions,
      clientServers: this.#clientServers,
      isClient: true,
    } as const;
    const opened = await openRun(this.#options, place, open);
    const { hosted, prepared } = opened;
    const { conversation } = hosted;
    this.#options = { ...this.#options, resume: conversation.id };
    // A resumed conversation may have a stricter policy.
    this.#mode = modeOf(conversation.confirmation) ?? 'auto';
    const updates = this.#updatesOf(conversation, prepared);
    hosted.follow(updates);
    const owned = open.move();
    return { ...opened, updates, [Symbol.asyncDispose]: () => owned.disposeAsync() };
  }

  #updatesOf({ workspace }: Conversation, { secrets, agent }: PreparedAgent): SessionUpdates {
    return new SessionUpdates({
      redactor: redactor(secrets, { replacement: '<secret-hidden>' }),
      contextWindow: agent.model.capabilities.contextWindow,
      workspace,
      send: (update) => this.#send(update),
    });
  }

  #send(update: SessionUpdate): void {
    // An editor that went away reads nothing; its connection ends the session.
    this.#client.notify(methods.client.session.update, { sessionId: this.#id, update }).catch(() => undefined);
  }

  async #close(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await (await open?.catch(() => undefined))?.[Symbol.asyncDispose]();
  }
}

function availableModes(): SessionModeState['availableModes'] {
  return confirmModes.map(({ id, name, asks }) => ({ id, name, description: `Asks about ${asks}.` }));
}

/** Other ends are the end of a turn: the last message of the agent explains them. */
function stopReasonOf({ reason }: RunResult): StopReason {
  if (reason === 'waiting' || reason === 'paused' || reason === 'interrupted') return 'cancelled';
  if (reason === 'max-tokens') return 'max_tokens';
  return reason.startsWith('max-') ? 'max_turn_requests' : 'end_turn';
}
