import type { BaseEvent } from '../define-event.ts';
import { ActionEvent } from '../kinds/action-event.ts';
import { SystemPromptEvent } from '../kinds/system-prompt-event.ts';
import type { Message } from '../message.ts';
import type { MessageFactory } from './message-factory.ts';
import { Pairing } from './pairing.ts';
import type { Reply } from './replies.ts';
import { isResult } from './results.ts';

/** Messages of a growing view. They are rebuilt only from the first reply on that has a new result. */
export class MessageList {
  readonly #turns: MessageFactory;
  readonly #pairing = new Pairing();
  readonly #replies = new Map<number, Reply>();
  /** Number of messages before the reply that starts at an index of the view. */
  readonly #lengthBefore = new Map<number, number>();
  readonly #messages: Message[] = [];
  /**
   * Consecutive user messages at the end. Merged only when another message follows, because each merge copies them all.
   */
  #userMessages: Message[] = [];
  #prompt: BaseEvent | undefined;
  /** Copy: the caller may append to its own array. */
  readonly #events: BaseEvent[] = [];

  constructor(turns: MessageFactory) {
    this.#turns = turns;
  }

  isPrefixOf(events: readonly BaseEvent[]): boolean {
    const known = this.#events;
    if (known.length > events.length) return false;
    for (let index = 0; index < known.length; index++) if (known[index] !== events[index]) return false;
    return true;
  }

  /** Processes a view that starts with the events of the last call. */
  extend(events: readonly BaseEvent[]): void {
    const seen = this.#events.length;
    let from = seen;
    for (const event of events.slice(seen)) from = Math.min(from, this.#pair(event));
    if (from < seen) {
      this.#messages.length = this.#lengthBefore.get(from) ?? 0;
      this.#userMessages = [];
    }
    for (let index = from; index < events.length; index++) this.#append(index);
  }

  messages(): readonly Message[] {
    return (this.#prompt ? this.#turns.ofEvent(this.#prompt) : []).concat(this.#messages, this.#mergedUserMessages());
  }

  /** Returns the first index whose message must be rebuilt because of this event. */
  #pair(event: BaseEvent): number {
    const index = this.#events.push(event) - 1;
    if (!this.#prompt && SystemPromptEvent.is(event)) this.#prompt = event;
    const reply = this.#pairing.add(event, index);
    if (!reply) return index;
    this.#replies.set(reply.start, reply);
    return reply.start;
  }

  #append(index: number): void {
    const event = this.#events[index];
    if (!event || isResult(event) || SystemPromptEvent.is(event)) return;
    if (!ActionEvent.is(event)) {
      for (const message of this.#turns.ofEvent(event)) this.#addMessage(message);
      return;
    }
    const reply = this.#replies.get(index);
    if (!reply) return;
    this.#flushUserMessages();
    this.#lengthBefore.set(index, this.#messages.length);
    for (const message of this.#turns.ofReply(reply.calls)) this.#messages.push(message);
  }

  #addMessage(message: Message): void {
    if (message.role === 'user') this.#userMessages.push(message);
    else {
      this.#flushUserMessages();
      this.#messages.push(message);
    }
  }

  #flushUserMessages(): void {
    this.#messages.push(...this.#mergedUserMessages());
    this.#userMessages = [];
  }

  #mergedUserMessages(): readonly Message[] {
    const [first, ...rest] = this.#userMessages;
    return first && rest.length > 0 ? [this.#turns.merge(first, rest)] : this.#userMessages;
  }
}
