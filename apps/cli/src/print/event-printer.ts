import type { RunOptions } from '@varve/agent';
import { textOf, type BaseEvent } from '@varve/events';
import { partialReplyFact } from '@varve/events/facts';
import {
  ActionEvent,
  ConversationErrorEvent,
  InterruptEvent,
  MessageEvent,
  ObservationEvent,
  PauseEvent,
  SystemPromptEvent,
} from '@varve/events/kinds';
import type { PendingCall } from '@varve/events/projections';
import { FinishAction } from '@varve/events/payloads';
import type { TextLine } from '@varve/events/text';
import { eventFormatter } from '../terminal/event-formatter.ts';
import type { Delta } from '@varve/llm';
import type { EventFollower, EventSink, HostedConversation } from '@varve/host';
import type { Progress } from './progress.ts';
import type { StreamedOutput } from './streamed-output.ts';
import type { StreamedReply } from './streamed-reply.ts';
import { shownLine } from '../wording/shown-line.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

/** Where a run is shown to the user. */
export interface Display {
  readonly io: TerminalIo;
  readonly progress: Progress;
}

/** Options of an {@link EventPrinter}. */
export interface EventPrinterOptions {
  /** Number of events that are not printed, because the user knows them. */
  readonly from: number;
  readonly asJson: boolean;
  /** Calls among those events that had no result. */
  readonly pending: readonly PendingCall[];
  /** Prints replies and output while they arrive; absent if nothing does. */
  readonly live?: LiveParts;
}

/** Printers of what is not stored yet. */
export interface LiveParts {
  readonly reply: StreamedReply;
  readonly output: StreamedOutput;
}

/** Activities while a reply arrives, by the kind of its pieces. */
const activities = {
  text: 'writing',
  reasoning: 'thinking',
  'tool-call': 'writing a call',
  reset: 'waiting for the model',
} as const;

/**
 * Prints events when they are stored: formatted on stderr, or as JSON lines on stdout. A message of the agent is
 * printed when another event follows: the last one is the answer and goes to stdout.
 */
export class EventPrinter implements EventSink {
  readonly #events: EventFollower;
  #isFinished = false;
  readonly #conversation: HostedConversation['conversation'];
  /** Last message of the agent. */
  #message: readonly TextLine[] = [];
  readonly #format: ReturnType<typeof eventFormatter>;
  readonly #asJson: boolean;
  readonly #display: Display;
  readonly #live: LiveParts | undefined;
  /** Text of the last reply that was printed while it arrived. */
  #streamedText = '';

  constructor(hosted: HostedConversation, display: Display, { from, asJson, pending, live }: EventPrinterOptions) {
    this.#live = live;
    this.#format = eventFormatter(pending.map(({ event }) => event));
    this.#conversation = hosted.conversation;
    this.#asJson = asJson;
    this.#display = display;
    this.#events = hosted.follow(this, from);
  }

  /** Prints the events stored so far and stops. Idempotent. */
  async finish(): Promise<void> {
    await this.#events.finish();
    if (this.#isFinished) return;
    this.#isFinished = true;
    for await (const { event, text } of this.#conversation.events({ from: this.#events.next })) {
      this.addEvent(event, text);
    }
    // What arrived of a reply that was interrupted stays on the screen.
    this.#live?.reply.end('');
    this.#live?.output.end();
  }

  /** Prints a last message of the agent that is not the answer of the run. */
  showLastMessage(): void {
    this.#message.forEach((line) => this.#show(line));
    this.#message = [];
  }

  addEvent(event: BaseEvent, text: string): void {
    if (this.#asJson) this.#display.io.stdout.jsonLine(text);
    else this.#showEvent(event, runLines(event, this.#format(event)));
    this.#showActivity(event);
  }

  addDelta(delta: Delta): void {
    this.#display.progress.set(activities[delta.kind], this.#conversation.state.stats.total);
    this.#live?.reply.add(delta);
  }

  addOutput(...[chunk, call]: Parameters<NonNullable<RunOptions['onOutput']>>): void {
    this.#display.progress.set(`running ${call.tool_name}`);
    this.#live?.output.add(chunk, call.id);
  }

  /** Reports whether a text was printed as the last reply while it arrived. */
  hasStreamed(text: string): boolean {
    return this.#streamedText !== '' && this.#streamedText === text.trim();
  }

  #showEvent(event: BaseEvent, lines: readonly TextLine[]): void {
    const text = replyText(event);
    if (text !== undefined && this.#live?.reply.end(text)) {
      this.#streamedText = text.trim();
      // The text is the first line of a message and of the first call of a reply.
      this.#showLines(event, lines.slice(1));
    } else this.#showLines(event, lines);
  }

  #showLines(event: BaseEvent, lines: readonly TextLine[]): void {
    if (ObservationEvent.is(event)) this.#live?.output.end();
    if (lines.length === 0) return;
    this.showLastMessage();
    if (MessageEvent.is(event) && event.source === 'agent') this.#message = lines;
    else lines.forEach((line) => this.#show(line));
  }

  #show(line: TextLine): void {
    this.#display.progress.above(shownLine(line));
  }

  /** Shows in the status line whether a tool or the model is running. */
  #showActivity(event: BaseEvent): void {
    if (!ActionEvent.is(event) && !MessageEvent.is(event) && !ObservationEvent.is(event)) return;
    const { pending, stats } = this.#conversation.state;
    const [call] = pending;
    this.#display.progress.set(call ? `running ${call.event.tool_name}` : 'waiting for the model', stats.total);
  }
}

/** Returns the text of a reply of the model that an event contains; undefined for other events. */
function replyText(event: BaseEvent): string | undefined {
  if (ActionEvent.is(event)) return textOf(event.thought);
  const partial = partialReplyFact.read(event);
  if (partial) return partial.text;
  return MessageEvent.is(event) && event.source === 'agent' ? textOf(event.llm_message.content) : undefined;
}

/** Omits the system prompt, and the answer and the reason of the end, which are printed when the run ends. */
function runLines(event: BaseEvent, lines: readonly TextLine[]): readonly TextLine[] {
  if (ActionEvent.is(event) && FinishAction.is(event.action)) {
    return [...lines.slice(0, -1), { mark: 'success', text: '✔ finished' }];
  }
  // The end of the run names it.
  const isStop = InterruptEvent.is(event) || PauseEvent.is(event);
  return isStop || ConversationErrorEvent.is(event) || SystemPromptEvent.is(event) ? [] : lines;
}
