import type { BaseEvent } from '@varve/events';
import { ActionEvent } from '@varve/events/kinds';
import { FinishAction } from '@varve/events/payloads';
import type { Delta } from '@varve/llm';
import { PartialJson } from './partial-json.ts';

/** Reads the message of `finish` out of the pieces of its call, so that it is text like that of a reply. */
export class FinishText {
  #json = new PartialJson();
  #index = -1;
  #length = 0;

  /** What has arrived of the other arguments, which are the answer in the form of a schema. */
  get output(): Readonly<Record<string, unknown>> {
    const { message: _message, ...output } = { ...Object(this.#json.value) } as Record<string, unknown>;
    return output;
  }

  /** Returns what a piece of a reply adds to the message. */
  push(delta: Delta): string {
    if (delta.kind === 'reset') this.#start(-1);
    if (delta.kind !== 'tool-call') return '';
    if (delta.name !== undefined && (delta.name === 'finish' || delta.index === this.#index)) {
      this.#start(delta.name === 'finish' ? delta.index : -1);
    }
    if (delta.index !== this.#index) return '';
    this.#json.push(delta.arguments);
    const message = messageIn(this.#json.value);
    const added = message.slice(this.#length);
    this.#length = message.length;
    return added;
  }

  /** Returns the message of a stored call of which no piece arrived. */
  rest(event: BaseEvent): string {
    if (!ActionEvent.is(event) || !FinishAction.is(event.action)) return '';
    const message = this.#length === 0 ? event.action.message : '';
    this.#length = 0;
    return message;
  }

  #start(index: number): void {
    this.#json = new PartialJson();
    this.#index = index;
    this.#length = 0;
  }
}

/** Without the first half of a character. */
function messageIn(value: unknown): string {
  const message = typeof value === 'object' && value !== null && 'message' in value ? value.message : undefined;
  return typeof message === 'string' ? message.replace(/[\uD800-\uDBFF]$/, '') : '';
}
