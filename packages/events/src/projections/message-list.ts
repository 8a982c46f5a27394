import type { BaseEvent } from '../define-event.ts';
import { ActionEvent } from '../kinds/action-event.ts';
import { SystemPromptEvent } from '../kinds/system-prompt-event.ts';
import type { Message } from '../message.ts';
import type { MessageTurns } from './message-turns.ts';
import { Pairing } from './pairing.ts';
import type { Reply } from './replies.ts';
import { isResult } from './results.ts';

/** The messages of a growing view. What was told is told again only from the first reply on that got a new result. */
export class MessageList {
  readonly #turns: MessageTurns;
  readonly #pairing = new Pairing();
  readonly #replies = new Map<number, Reply>();
  /** How many messages stood before the reply that starts at this index of the view. */
  readonly #told = new Map<number, number>();
  readonly #messages: Message[] = [];
  /** The user messages in a row after them: merged when there are no more, because each merger copies all of them. */
  #run: Message[] = [];
  #prompt: BaseEvent | undefined;
  /** Our own copy: the caller may add to the array that it gave. */
  readonly #events: BaseEvent[] = [];

  constructor(turns: MessageTurns) {
    this.#turns = turns;
  }

  isPrefixOf(events: readonly BaseEvent[]): boolean {
    const known = this.#events;
    if (known.length > events.length) return false;
    for (let index = 0; index < known.length; index++) if (known[index] !== events[index]) return false;
    return true;
  }

  /** Takes in a view that begins with the events of the last time. */
  extend(events: readonly BaseEvent[]): void {
    const seen = this.#events.length;
    let from = seen;
    for (const event of events.slice(seen)) from = Math.min(from, this.#pair(event));
    if (from < seen) {
      this.#messages.length = this.#told.get(from) ?? 0;
      this.#run = [];
    }
    for (let index = from; index < events.length; index++) this.#tell(index);
  }

  messages(): readonly Message[] {
    return (this.#prompt ? this.#turns.ofEvent(this.#prompt) : []).concat(this.#messages, this.#merged());
  }

  /** Gives the first index that must be told anew because of this event. */
  #pair(event: BaseEvent): number {
    const index = this.#events.push(event) - 1;
    if (!this.#prompt && SystemPromptEvent.is(event)) this.#prompt = event;
    const reply = this.#pairing.add(event, index);
    if (!reply) return index;
    this.#replies.set(reply.start, reply);
    return reply.start;
  }

  #tell(index: number): void {
    const event = this.#events[index];
    if (!event || isResult(event) || SystemPromptEvent.is(event)) return;
    if (!ActionEvent.is(event)) {
      for (const message of this.#turns.ofEvent(event)) this.#say(message);
      return;
    }
    const reply = this.#replies.get(index);
    if (!reply) return;
    this.#endRun();
    this.#told.set(index, this.#messages.length);
    this.#messages.push(...this.#turns.ofReply(reply.calls));
  }

  #say(message: Message): void {
    if (message.role === 'user') this.#run.push(message);
    else {
      this.#endRun();
      this.#messages.push(message);
    }
  }

  #endRun(): void {
    this.#messages.push(...this.#merged());
    this.#run = [];
  }

  #merged(): readonly Message[] {
    const [first, ...rest] = this.#run;
    return first && rest.length > 0 ? [this.#turns.merged(first, rest)] : this.#run;
  }
}
