import {
  methods,
  RequestError,
  type AgentContext,
  type ContentBlock,
  type SessionConfigOption,
  type SessionModeState,
  type SessionUpdate,
  type StopReason,
} from '@agentclientprotocol/sdk';
import type { RunResult } from '@varve/agent';
import type { Questions } from '@varve/host/people';
import { redactor } from '@varve/text';
import { confirmModes, modeContent, modeOf, type ConfirmMode } from '../opening/confirm-modes.ts';
import { openRun, type OpenRun, type RunPlace } from '../opening/open-run.ts';
import { endSentence } from '../wording/end-sentence.ts';
import { questionsTo } from '../opening/questions-to.ts';
import type { RunOptions } from '../opening/run-options.ts';
import { policyOfMode } from '../opening/policy-of-mode.ts';
import type { Printable } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { editorPerson } from './editor-person.ts';
import { availableCommands, typedPrompt } from './editor-commands.ts';
import { contentOf } from './prompt-content.ts';
import type { SessionModel } from './session-model.ts';
import { SessionUpdates } from './session-updates.ts';

interface OpenParts extends OpenRun, AsyncDisposable {
  readonly updates: SessionUpdates;
}

/** Editor of a session, and what it brings. */
export interface EditorPlace {
  readonly io: TerminalIo;
  readonly client: AgentContext;
  readonly servers: NonNullable<RunPlace['clientServers']>;
  readonly mode: ConfirmMode;
  readonly model: SessionModel;
}

/** Session of an editor: one conversation, which is stored with its first prompt. */
export class EditorSession implements AsyncDisposable {
  readonly #id: string;
  readonly #place: EditorPlace;
  readonly #questions: Questions;
  #options: RunOptions;
  /** True if the conversation is open with another model. */
  #isOutdated = false;
  #mode: ConfirmMode;
  #open: Promise<OpenParts> | undefined;
  #running: Promise<unknown> | undefined;
  #interruption = new AbortController();

  constructor(id: string, options: RunOptions, place: EditorPlace) {
    this.#id = id;
    this.#place = place;
    this.#options = options;
    const person = editorPerson(place.client, id);
    this.#questions = questionsTo(person, place.io, { options: () => this.#options });
    this.#mode = place.mode;
  }

  /** True while a prompt runs. */
  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Returns what the editor chooses from, after which its commands are sent. */
  async begin(): ReturnType<EditorSession['choices']> {
    const choices = await this.choices();
    const commands = await availableCommands(this.#options.workspace ?? this.#place.io.cwd, this.#place.io);
    // An editor knows the session after the response.
    setImmediate(() => this.send({ sessionUpdate: 'available_commands_update', availableCommands: commands }));
    return choices;
  }

  /** Returns what the editor chooses from: modes, for editors without options, and options. */
  async choices(): Promise<{ readonly modes: SessionModeState; readonly configOptions: SessionConfigOption[] }> {
    return {
      modes: { currentModeId: this.#mode, availableModes: availableModes() },
      configOptions: [modeOption(this.#mode), await this.#place.model.option()],
    };
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
    await conversation?.setConfirmation(await policyOfMode(mode.id, conversation.workspace, this.#place.io));
    this.send({ sessionUpdate: 'config_option_update', configOptions: (await this.choices()).configOptions });
  }

  /** Changes an option; a model from the next prompt on. @throws {RequestError} for an unknown option or value. */
  async setOption(configId: string, value: unknown): Promise<void> {
    if (typeof value !== 'string' || (configId !== 'mode' && configId !== 'model'))
      throw RequestError.invalidParams({ configId, value }, 'There is no such option.');
    if (configId === 'mode') {
      await this.setMode(value);
      this.send({ sessionUpdate: 'current_mode_update', currentModeId: value });
    } else {
      this.#options = await this.#place.model.choose(value, this.#options);
      this.#isOutdated = true;
    }
  }

  /** Opens a stored conversation. */
  async open(): Promise<void> {
    await this.#opened();
  }

  /** Sends all events of a stored conversation, also while a prompt runs. */
  async replay(): Promise<void> {
    const opened = await this.#opened();
    const updates = this.#updatesOf(opened, { isReplay: true });
    for await (const { event } of opened.hosted.conversation.events()) updates.addEvent(event);
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

  /** Sends an update of the session. */
  send(update: SessionUpdate): void {
    // An editor that went away reads nothing; its connection ends the session.
    this.#place.client.notify(methods.client.session.update, { sessionId: this.#id, update }).catch(() => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cancel();
    await this.#running;
    await this.#close();
  }

  async #promptOnce(typed: readonly ContentBlock[], signal: AbortSignal): Promise<StopReason> {
    if (this.#isOutdated) await this.#close();
    this.#isOutdated = false;
    const { hosted, prepared, updates } = await this.#opened();
    const { conversation } = hosted;
    const prompt = await typedPrompt(typed, conversation.workspace, this.#place.io);
    if ('focus' in prompt) {
      signal.addEventListener('abort', () => void conversation.interrupt(), { once: true });
      const isCondensed = await conversation.condense(prompt);
      updates.sendMessage(isCondensed ? 'The conversation is condensed.' : 'Nothing can be left out.');
      return 'end_turn';
    }
    await hosted.send([...contentOf(prompt.blocks, prepared.agent.model), ...modeContent(conversation)]);
    const result = await hosted.run({ signal, questions: this.#questions });
    const sentence = signal.aborted ? undefined : endSentence(result);
    if (sentence !== undefined) updates.sendMessage(sentence);
    if (sentence === undefined && result.evidence?.text !== undefined) updates.sendMessage(result.evidence.text);
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
    const io = this.#place.io;
    const progress = { lineAbove: (line: Printable) => io.stderr.line(line) };
    const asks = { questions: this.#questions, clientServers: this.#place.servers, isClient: true } as const;
    const opened = await openRun(this.#options, { io, progress, ...asks }, open);
    const { conversation } = opened.hosted;
    this.#options = { ...this.#options, resume: conversation.id };
    // A resumed conversation may have a stricter policy.
    this.#mode = modeOf(conversation.confirmation) ?? 'auto';
    const updates = this.#updatesOf(opened);
    opened.hosted.follow(updates);
    const owned = open.move();
    return { ...opened, updates, [Symbol.asyncDispose]: () => owned.disposeAsync() };
  }

  #updatesOf({ hosted, prepared }: OpenRun, more: { readonly isReplay?: true } = {}): SessionUpdates {
    return new SessionUpdates({
      redactor: redactor(prepared.secrets, { replacement: '<secret-hidden>' }),
      contextWindow: prepared.agent.model.capabilities.contextWindow,
      workspace: hosted.conversation.workspace,
      send: (update) => this.send(update),
      ...more,
    });
  }

  async #close(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await (await open?.catch(() => undefined))?.[Symbol.asyncDispose]();
  }
}

function modeOption(currentValue: ConfirmMode): SessionConfigOption {
  const options = availableModes().map(({ id, ...mode }) => ({ value: id, ...mode }));
  return { id: 'mode', name: 'Mode', category: 'mode', type: 'select', currentValue, options };
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
