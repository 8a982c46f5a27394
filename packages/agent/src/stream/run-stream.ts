import type { ActionEvent } from '@varve/events/kinds';
import type { Delta } from '@varve/llm';
import type { LoggedEvent } from '../log/read-log.ts';
import type { RunOptions } from '../run/run-options.ts';
import type { RunResult } from '../run/run-result.ts';
import type { UserInput } from '../run/send-message.ts';
import { FinishText } from './finish-text.ts';

/**
 * A part of a {@link RunStream}. `position` is the number of events that are stored before it: a stream from there
 * continues with the next event. All parts but events are provisional, and are not masked.
 */
export type StreamPart =
  /** An event was stored; its position is its seq. */
  | ({ readonly kind: 'event'; readonly position: number } & LoggedEvent)
  /** A piece of a reply. The message of `finish` arrives as text, too. */
  | (Delta & { readonly position: number })
  /** Output of a call. */
  | { readonly kind: 'output'; readonly position: number; readonly text: string; readonly call: ActionEvent };

/** Options of `Conversation.stream`. */
export interface StreamOptions extends Omit<RunOptions, 'onDelta' | 'onOutput'> {
  /** Position of the first part. Default: the next event. */
  readonly from?: number;
}

/** What a stream needs of its conversation. */
export interface StreamedConversation {
  readonly state: { readonly head: number };
  readonly events: (range: { readonly from: number; readonly signal: AbortSignal }) => AsyncIterable<LoggedEvent>;
  readonly send: (input: UserInput) => Promise<unknown>;
  readonly run: (options: RunOptions) => Promise<RunResult>;
}

type LivePart = Exclude<StreamPart, { readonly kind: 'event' }>;

/**
 * A run whose parts are yielded in one order, each once. It runs whether or not it is read; ending the loop interrupts
 * it, and the loop ends after the last event of the run, or when the conversation is closed.
 */
export class RunStream<Output = Readonly<Record<string, unknown>>> implements AsyncIterable<StreamPart> {
  /** Result of the run. Rejects as `Conversation.send` and `run` do; the loop throws the same. */
  readonly result: Promise<RunResult<Output>>;
  /** The pieces of text, to be read instead of all parts. */
  readonly textStream = this.#texts();
  readonly #conversation: StreamedConversation;
  readonly #from: number;
  /** Number of events before the run. */
  readonly #start: number;
  readonly #ending = new AbortController();
  readonly #finish = new FinishText();
  readonly #parts = this.#read();
  /** Parts that were not read yet, in order. */
  readonly #live: LivePart[] = [];
  /** Number of events at the end of the run. */
  #end = Infinity;
  #wake = (): void => {};

  constructor(conversation: StreamedConversation, input: UserInput | undefined, { from, ...options }: StreamOptions) {
    this.#conversation = conversation;
    this.#start = this.#head;
    this.#from = from ?? this.#start;
    this.result = this.#run(input, options).finally(() => {
      this.#end = this.#head;
      this.#wake();
    }) as Promise<RunResult<Output>>;
    // The loop throws it as well, and who reads neither has no use for it.
    this.result.catch(() => undefined);
  }

  /** Text of the result. */
  get text(): Promise<string> {
    return this.result.then(({ text }) => text);
  }

  /** What has arrived of the answer of an agent with an `output` schema; not checked. */
  get partialOutput(): Readonly<Record<string, unknown>> {
    return this.#finish.output;
  }

  [Symbol.asyncIterator](): AsyncGenerator<StreamPart, void> {
    return this.#parts;
  }

  async *#texts(): AsyncGenerator<string, void> {
    for await (const part of this) if (part.kind === 'text') yield part.text;
  }

  async *#read(): AsyncGenerator<StreamPart, void> {
    const stored = new Arrivals(this.#conversation.events({ from: this.#from, signal: this.#ending.signal }), () =>
      this.#wake(),
    );
    let next = this.#from;
    try {
      while (next < this.#end || this.#live.length > 0) {
        const [live] = this.#live;
        if (live && live.position <= next) {
          this.#live.shift();
          yield live;
          continue;
        }
        const logged = stored.take();
        if (logged) {
          next = logged.seq + 1;
          const rest = logged.seq < this.#start ? '' : this.#finish.rest(logged.event);
          if (rest !== '') yield { kind: 'text', text: rest, position: logged.seq };
          yield { kind: 'event', position: logged.seq, ...logged };
          continue;
        }
        if (stored.isEnded) break;
        await new Promise<void>((resolve) => (this.#wake = resolve));
      }
      await this.result;
    } finally {
      this.#ending.abort();
      await this.result.catch(() => undefined);
    }
  }

  get #head(): number {
    return this.#conversation.state.head;
  }

  async #run(input: UserInput | undefined, { signal, ...options }: RunOptions): Promise<RunResult> {
    if (input !== undefined) await this.#conversation.send(input);
    return this.#conversation.run({
      ...options,
      signal: AbortSignal.any([this.#ending.signal, ...(signal ? [signal] : [])]),
      onDelta: (delta) => {
        this.#add({ ...delta, position: this.#head });
        const text = this.#finish.push(delta);
        if (text !== '') this.#add({ kind: 'text', text, position: this.#head });
      },
      onOutput: (text, call) => this.#add({ kind: 'output', text, call, position: this.#head }),
    });
  }

  /** Pieces that were not read yet are joined, so that a slow reader costs memory for the text only. */
  #add(part: LivePart): void {
    const last = this.#live.at(-1);
    const isText = part.kind === 'text' || part.kind === 'reasoning';
    if (isText && last?.kind === part.kind && last.position === part.position) {
      this.#live[this.#live.length - 1] = { ...part, text: last.text + part.text };
    } else this.#live.push(part);
    this.#wake();
  }
}

/** The next event of a log, when it has arrived. */
class Arrivals {
  /** True when no event follows: the log was closed. */
  isEnded = false;
  readonly #events: AsyncIterator<LoggedEvent>;
  readonly #wake: () => void;
  #arrived: LoggedEvent | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(events: AsyncIterable<LoggedEvent>, wake: () => void) {
    this.#events = events[Symbol.asyncIterator]();
    this.#wake = wake;
    void this.#request();
  }

  /** Returns the event that has arrived, and requests the next one. @throws what reading the log throws. */
  take(): LoggedEvent | undefined {
    if (this.#failure) throw this.#failure.error;
    const arrived = this.#arrived;
    this.#arrived = undefined;
    if (arrived) void this.#request();
    return arrived;
  }

  async #request(): Promise<void> {
    try {
      const { value, done } = await this.#events.next();
      if (done === true) this.isEnded = true;
      else this.#arrived = value;
    } catch (error) {
      this.#failure = { error };
    }
    this.#wake();
  }
}
