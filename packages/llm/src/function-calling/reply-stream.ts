import { textOf, type Message } from '@varve/events';
import type { Delta } from '../delta.ts';

/** Forwards the deltas of a reply whose calls are written in its text. */
export interface ReplyStream {
  push(delta: Delta): void;
  /** Discards the deltas received so far, because the request is sent again. */
  restart(reason: string): void;
  /** Forwards the held text, so that all forwarded deltas add up to the message. */
  end(message: Message): void;
}

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

/** Creates a stream that holds text back from the beginning of a possible call until the end of the reply. */
export function replyStream(onDelta: (delta: Delta) => void): ReplyStream {
  let held = '';
  let mode: 'beginning' | 'thinking' | 'text' | 'holding' = 'beginning';
  let isBlank = true;
  let trims = true;
  let emitted = { text: '', reasoning: '' };
  const emit = (kind: 'text' | 'reasoning', text: string): void => {
    if (text === '') return;
    emitted[kind] += text;
    onDelta({ kind, text });
  };
  const restart = (reason: string): void => {
    if (emitted.text !== '' || emitted.reasoning !== '') onDelta({ kind: 'reset', reason });
    held = '';
    mode = 'beginning';
    isBlank = true;
    trims = true;
    emitted = { text: '', reasoning: '' };
  };
  const emitReasoning = (): void => {
    if (trims) held = held.trimStart();
    const end = held.indexOf(thinkClose);
    const reasoning = end === -1 ? certainPrefix(held) : held.slice(0, end).trimEnd();
    emit('reasoning', `${trims && reasoning !== '' && emitted.reasoning !== '' ? '\n\n' : ''}${reasoning}`);
    trims = end !== -1 || (trims && reasoning === '');
    held = held.slice(end === -1 ? reasoning.length : end + thinkClose.length);
    if (end !== -1) mode = 'text';
  };
  const emitText = (): void => {
    if (trims) held = held.trimStart();
    const call = held.search(mayBeCall);
    const fence = call === -1 ? held.search(openFence) : -1;
    if (call !== -1 || (fence !== -1 && held.length > maxFence)) mode = 'holding';
    const text =
      call === -1 ? certainPrefix(fence === -1 ? held : held.slice(0, fence)) : held.slice(0, call).trimEnd();
    trims &&= text === '';
    emit('text', text);
    held = held.slice(text.length);
  };
  const addText = (text: string): void => {
    if (mode === 'holding') return;
    held += text;
    // Blank text decides nothing, and models that write no text write a lot of it.
    if (isBlank && text.trim() === '') return;
    if (mode === 'beginning') {
      mode = modeOf(held);
      if (mode === 'thinking') held = held.trimStart().slice(thinkOpen.length);
      if (mode === 'text') trims = false;
    }
    if (mode === 'thinking') emitReasoning();
    if (mode === 'text') emitText();
    isBlank = held.trim() === '';
  };
  return {
    restart,
    push(delta) {
      if (delta.kind === 'reset') restart(delta.reason);
      if (delta.kind === 'reasoning') emit('reasoning', delta.text);
      if (delta.kind === 'text') addText(delta.text);
    },
    end(message) {
      const text = textOf(message.content);
      const reasoning = message.reasoning_content ?? '';
      // The emitted text turned out to be reasoning or a call: emit the reply again.
      if (!text.startsWith(emitted.text) || !reasoning.startsWith(emitted.reasoning)) {
        restart('The reply was parsed again.');
      }
      emit('reasoning', reasoning.slice(emitted.reasoning.length));
      emit('text', text.slice(emitted.text.length));
      for (const [index, { name, arguments: json }] of (message.tool_calls ?? []).entries()) {
        onDelta({ kind: 'tool-call', index, name, arguments: json });
      }
    },
  };
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
