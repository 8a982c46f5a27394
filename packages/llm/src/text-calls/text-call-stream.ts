import { textOf, type Message } from '@varve/events';
import type { Delta } from '../delta.ts';

/** Hands on the pieces of a reply whose text may turn out to hold calls. */
export interface TextCallStream {
  push(delta: Delta): void;
  /** Hands out what was held back: the rest of the text, or the calls that it was; all pieces add up to the message. */
  end(message: Message, isRead: boolean): void;
}

/** A stream that holds text back from the first of `marks` on, and hands everything else on as it comes. */
export function textCallStream(onDelta: (delta: Delta) => void, marks: readonly string[]): TextCallStream {
  let held = '';
  let shown = '';
  let isHolding = false;
  let isBlank = true;
  const say = (text: string): void => {
    shown += text;
    held = held.slice(text.length);
    if (text !== '') onDelta({ kind: 'text', text });
  };
  const hear = (text: string): void => {
    held += text;
    // White space before a mark belongs to no text; much of it is not looked at again and again.
    if (isHolding || (isBlank && text.trim() === '')) return;
    const found = marks.map((mark) => held.indexOf(mark)).filter((at) => at !== -1);
    isHolding = found.length > 0;
    say(held.slice(0, isHolding ? Math.min(...found) : certain(held, marks)).trimEnd());
    isBlank = held.trim() === '';
  };
  return {
    push(delta) {
      if (delta.kind === 'text') return hear(delta.text);
      if (delta.kind === 'reset') {
        held = '';
        shown = '';
        isHolding = false;
        isBlank = true;
      }
      onDelta(delta);
    },
    end(message, isRead) {
      if (!isRead) return say(held);
      const text = textOf(message.content);
      if (!text.startsWith(shown)) {
        onDelta({ kind: 'reset', reason: 'The text of the reply held calls.' });
        const { reasoning_content: reasoning = '' } = message;
        if (reasoning !== '') onDelta({ kind: 'reasoning', text: reasoning });
        shown = '';
      }
      if (text !== shown) onDelta({ kind: 'text', text: text.slice(shown.length) });
      for (const [index, { name, arguments: json }] of (message.tool_calls ?? []).entries()) {
        onDelta({ kind: 'tool-call', index, name, arguments: json });
      }
    },
  };
}

/** How much of a text cannot be the beginning of a mark. */
function certain(text: string, marks: readonly string[]): number {
  const longest = Math.max(0, ...marks.map(({ length }) => length));
  for (let at = Math.max(0, text.length - longest + 1); at < text.length; at += 1) {
    if (marks.some((mark) => mark.startsWith(text.slice(at)))) return at;
  }
  return text.length;
}
