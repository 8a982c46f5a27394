import {
  methods,
  RequestError,
  type AgentContext,
  type ContentBlock,
  type SessionModeState,
  type SessionUpdate,
  type StopReason,
} from '@agentclientprotocol/sdk';
import type { RunResult } from '@varve/agent';
import type { BaseEvent } from '@varve/events';
import type { Delta } from '@varve/llm';
import type { Settings } from '@varve/settings';
import { redactor } from '@varve/text';
import { confirmModes, modeOf, type ConfirmMode } from '../run/confirm-modes.ts';
import { CallDecisions } from '../run/decide-calls.ts';
import { EventFollower } from '../run/event-follower.ts';
import { openRun, type OpenRun } from '../run/open-run.ts';
import { endSentence } from '../run/report-end.ts';
import type { RunOptions } from '../run/run-options.ts';
import { titleModelOf, titleWriterOf } from '../run/title-writer.ts';
import type { Printable } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { EditorQuestions } from './editor-questions.ts';
import { contentOf } from './prompt-content.ts';
import { SessionUpdates } from './session-updates.ts';

interface OpenParts extends OpenRun, AsyncDisposable {
  readonly updates: SessionUpdates;
  readonly follower: EventFollower;
}

/** Session of an editor: one conversation, which is stored with its first prompt. */
export class EditorSession implements AsyncDisposable {
  readonly #id: string;
  readonly #client: AgentContext;
  readonly #questions: EditorQuestions;
  readonly #decisions: CallDecisions;
  #options: RunOptions;
  #mode: ConfirmMode;
  #open: OpenParts | undefined;
  #running: Promise<unknown> | undefined;
  #interruption = new AbortController();

  constructor(
    id: string,
    options: RunOptions,
    settings: Settings,
    place: { readonly io: TerminalIo; readonly client: AgentContext },
  ) {
    this.#id = id;
    this.#client = place.client;
    this.#options = options;
    this.#questions = new EditorQuestions(place.io, place.client, id);
    this.#decisions = new CallDecisions(options, this.#questions);
    this.#mode = options.confirm ?? settings.get('confirmation.policy') ?? 'auto';
  }

  /** Modes for the editor. */
  get modes(): SessionModeState {
    return { currentModeId: this.#mode, availableModes: availableModes() };
  }

  /** Changes what is asked about, after the prompt that runs. @throws {RequestError} for an unknown mode. */
  async setMode(modeId: string): Promise<void> {
    const mode = confirmModes.find(({ id }) => id === modeId);
    if (!mode) throw RequestError.invalidParams({ modeId }, 'There is no such mode.');
    this.#mode = mode.id;
    this.#options = { ...this.#options, confirm: mode.id };
    await this.#running;
    await this.#close();
  }

  /** Sends all events of a stored conversation. */
  async replay(): Promise<void> {
    const { conversation, updates } = await this.#opened();
    updates.isReplay = true;
    for await (const { event } of conversation.events()) updates.addEvent(event);
    updates.isReplay = false;
  }

  /** Runs the agent on a prompt. @throws {RequestError} while another prompt runs, and when the model fails. */
  async prompt(blocks: readonly ContentBlock[]): Promise<StopReason> {
    if (this.#running) throw RequestError.invalidRequest(undefined, 'The agent is working on another prompt.');
    this.#interruption = new AbortController();
    const running = this.#promptOnce(blocks, this.#interruption.signal);
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
    const { conversation, prepared, updates } = await this.#opened();
    await conversation.send(contentOf(blocks));
    await using title = titleWriterOf(conversation, async () => titleModelOf(prepared));
    title.start();
    const result = await this.#runAndAsk(signal);
    if (result.reason === 'finished') await title.finished();
    const sentence = signal.aborted ? undefined : endSentence(result);
    if (sentence !== undefined) updates.sendMessage(sentence);
    this.#send({ sessionUpdate: 'session_info_update', title: conversation.state.title ?? null });
    if (result.reason === 'error') throw result.error;
    return stopReasonOf(result);
  }

  /** Runs until nothing is left to decide. */
  async #runAndAsk(signal: AbortSignal): Promise<RunResult> {
    const { conversation, updates, follower, neverAsks } = await this.#opened();
    const questions = this.#questions;
    const decisions = this.#decisions;
    for (;;) {
      const result = await conversation.run({
        signal,
        onDelta: (delta) => follower.addDelta(delta),
        onOutput: (chunk, event) => updates.addOutput(chunk, event.id),
        ...(!neverAsks && { askOutside: async (...refused) => questions.allowsOutside(...refused) }),
        onChildWaiting: async ({ subAgent, conversation: child }) => {
          await decisions.decide(child, signal, subAgent);
        },
      });
      await follower.caughtUp();
      if (result.reason !== 'waiting' || !(await decisions.decide(conversation, signal))) return result;
    }
  }

  async #opened(): Promise<OpenParts> {
    return (this.#open ??= await this.#openConversation());
  }

  async #openConversation(): Promise<OpenParts> {
    await using open = new AsyncDisposableStack();
    const { io } = this.#questions;
    const progress = { lineAbove: (line: Printable) => io.stderr.line(line) };
    const opened = await openRun(this.#options, { io, progress, questions: this.#questions }, open);
    const { conversation, prepared } = opened;
    this.#options = { ...this.#options, resume: conversation.id };
    // A resumed conversation has the policy that it was used with.
    this.#mode = modeOf(conversation.confirmation) ?? 'auto';
    const updates = new SessionUpdates({
      redactor: redactor(prepared.secrets, { replacement: '<secret-hidden>' }),
      contextWindow: prepared.agent.model.capabilities.contextWindow,
      workspace: conversation.workspace,
      send: (update) => this.#send(update),
    });
    const sink = {
      addEvent: (event: BaseEvent) => updates.addEvent(event),
      addDelta: (delta: Delta) => updates.addDelta(delta),
    };
    const follower = new EventFollower(conversation, sink, conversation.state.head);
    open.defer(async () => follower.finish());
    const owned = open.move();
    return { ...opened, updates, follower, [Symbol.asyncDispose]: () => owned.disposeAsync() };
  }

  #send(update: SessionUpdate): void {
    // An editor that went away reads nothing; its connection ends the session.
    this.#client.notify(methods.client.session.update, { sessionId: this.#id, update }).catch(() => undefined);
  }

  async #close(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.[Symbol.asyncDispose]();
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
