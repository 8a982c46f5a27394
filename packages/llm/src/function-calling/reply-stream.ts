import { textOf, type Message } from '@varve/events';
import type { Delta } from '../delta.ts';

const thinkOpen = '<think>';
const thinkClose = '</think>';
/**
 * Beginning of a possible call, with its fence and wrapper, or of reasoning; the text after it is held until the end.
 */
const mayBeCall = /(?:^[ \t]*(?:`{3}|~{3})[^\n]*\n\s*)?(?:<function=|<tool_call>)|^[ \t]*<think/m;
/** A fence at the end of the received text that may yet contain a call. */
const openFence = /^[ \t]*(?:`{3}|~{3})[^\n]*(?:\n\s*(?:<[a-z_]*)?)?(?![^])/m;
/**
 * Characters after which an open fence is held until the end, so that the text is not searched again for every delta.
 */
const maxFence = 1000;

/**
 * Forwards the deltas of a reply whose calls are written in its text: holds text back from the beginning of a possible
 * call until the end of the reply.
 */
export class ReplyStream {
  readonly #onDelta: (delta: Delta) => void;
  #held = '';
  #mode: 'beginning' | 'thinking' | 'text' | 'holding' = 'beginning';
  #isBlank = true;
  #trims = true;
  #emitted = { text: '', reasoning: '' };

  constructor(onDelta: (delta: Delta) => void) {
    this.#onDelta = onDelta;
  }

  /** Discards the deltas received so far, because the request is sent again. */
  restart(reason: string): void {
    if (this.#emitted.text !== '' || this.#emitted.reasoning !== '') this.#onDelta({ kind: 'reset', reason });
    this.#held = '';
    this.#mode = 'beginning';
    this.#isBlank = true;
    this.#trims = true;
    this.#emitted = { text: '', reasoning: '' };
  }

  push(delta: Delta): void {
    if (delta.kind === 'reset') this.restart(delta.reason);
    if (delta.kind === 'reasoning') this.#emit('reasoning', delta.text);
    if (delta.kind === 'text') this.#addText(delta.text);
  }

  /** Forwards the held text, so that all forwarded deltas add up to the message. */
  end(message: Message): void {
    const text = textOf(message.content);
    const reasoning = message.reasoning_content ?? '';
    // The emitted text turned out to be reasoning or a call: emit the reply again.
    if (!text.startsWith(this.#emitted.text) || !reasoning.startsWith(this.#emitted.reasoning)) {
      this.restart('The reply was parsed again.');
    }
    this.#emit('reasoning', reasoning.slice(this.#emitted.reasoning.length));
    this.#emit('text', text.slice(this.#emitted.text.length));
    for (const [index, { name, arguments: json }] of (message.tool_calls ?? []).entries()) {
      this.#onDelta({ kind: 'tool-call', index, name, arguments: json });
    }
  }

  #emit(kind: 'text' | 'reasoning', text: string): void {
    if (text === '') return;
    this.#emitted[kind] += text;
    this.#onDelta({ kind, text });
  }

  #addText(text: string): void {
    if (this.#mode === 'holding') return;
    this.#held += text;
    // Blank text decides nothing, and models that write no text write a lot of it.
    if (this.#isBlank && text.trim() === '') return;
    if (this.#mode === 'beginning') {
      this.#mode = modeOf(this.#held);
      if (this.#mode === 'thinking') this.#held = this.#held.trimStart().slice(thinkOpen.length);
      if (this.#mode === 'text') this.#trims = false;
    }
    if (this.#mode === 'thinking') this.#emitReasoning();
    if (this.#mode === 'text') this.#emitText();
    this.#isBlank = this.#held.trim() === '';
  }

  #emitReasoning(): void {
    const held = this.#trims ? this.#held.trimStart() : this.#held;
    const end = held.indexOf(thinkClose);
    const reasoning = end === -1 ? certainPrefix(held) : held.slice(0, end).trimEnd();
    const isFurther = this.#trims && reasoning !== '' && this.#emitted.reasoning !== '';
    this.#emit('reasoning', `${isFurther ? '\n\n' : ''}${reasoning}`);
    this.#trims = end !== -1 || (this.#trims && reasoning === '');
    this.#held = held.slice(end === -1 ? reasoning.length : end + thinkClose.length);
    if (end !== -1) this.#mode = 'text';
  }

  #emitText(): void {
    const held = this.#trims ? this.#held.trimStart() : this.#held;
    const call = held.search(mayBeCall);
    const fence = call === -1 ? held.search(openFence) : -1;
    if (call !== -1 || (fence !== -1 && held.length > maxFence)) this.#mode = 'holding';
    const text =
      call === -1 ? certainPrefix(fence === -1 ? held : held.slice(0, fence)) : held.slice(0, call).trimEnd();
    this.#trims &&= text === '';
    this.#emit('text', text);
    this.#held = held.slice(text.length);
  }
}

function modeOf(held: string): 'beginning' | 'thinking' | 'text' {
  const start = held.trimStart();
  if (start.startsWith(thinkOpen)) return 'thinking';
  return thinkOpen.startsWith(start) ? 'beginning' : 'text';
}

/**
 * Returns the beginning of a text that is text whatever follows: without a possible tag at its end and the space before
 * it.
 */
function certainPrefix(held: string): string {
  const tag = held.lastIndexOf('<');
  const isOpen = tag !== -1 && held.length - tag <= 10 && /^<\/?[a-z_]*$/.test(held.slice(tag));
  return held
    .slice(0, isOpen ? tag : undefined)
    .replace(/[`~]{1,2}$/, '')
    .trimEnd();
}
