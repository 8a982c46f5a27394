import { text as textBlock, textOf, type Message } from '@varve/events';
import { messageDeltas, type Delta } from '../delta.ts';

/** Forwards the deltas of a reply whose text may turn out to contain calls. */
export interface TextCallStream {
  push(delta: Delta): void;
  /** Forwards the rest: the held text, or the calls read from it. All forwarded deltas add up to the message. */
  end(message: Message, isRead: boolean): void;
}

/** Creates a stream that holds text back from the first of `marks`, and forwards everything else immediately. */
export function textCallStream(onDelta: (delta: Delta) => void, marks: readonly string[]): TextCallStream {
  let held = '';
  let visible = '';
  let isHolding = false;
  let isBlank = true;
  const emitText = (text: string): void => {
    visible += text;
    held = held.slice(text.length);
    if (text !== '') onDelta({ kind: 'text', text });
  };
  const addText = (text: string): void => {
    held += text;
    // White space before a mark is dropped. Blank text is not searched, so that a lot of it takes linear time.
    if (isHolding || (isBlank && text.trim() === '')) return;
    const places = marks.map((mark) => held.indexOf(mark)).filter((at) => at !== -1);
    isHolding = places.length > 0;
    emitText(held.slice(0, isHolding ? Math.min(...places) : lengthBeforeMark(held, marks)).trimEnd());
    isBlank = held.trim() === '';
  };
  return {
    push(delta) {
      if (delta.kind === 'text') return addText(delta.text);
      if (delta.kind === 'reset') {
        held = '';
        visible = '';
        isHolding = false;
        isBlank = true;
      }
      onDelta(delta);
    },
    end(message, isRead) {
      if (!isRead) return emitText(held);
      const whole = textOf(message.content);
      const isContinued = whole.startsWith(visible);
      if (!isContinued) onDelta({ kind: 'reset', reason: 'The text of the reply contained calls.' });
      const rest = { ...message, reasoning_content: '', content: [textBlock(whole.slice(visible.length))] };
      for (const delta of messageDeltas(isContinued ? rest : message)) onDelta(delta);
    },
  };
}

/** Returns the length of the text before its last characters that may begin a mark. */
function lengthBeforeMark(text: string, marks: readonly string[]): number {
  const longest = Math.max(0, ...marks.map(({ length }) => length));
  for (let at = Math.max(0, text.length - longest + 1); at < text.length; at += 1) {
    if (marks.some((mark) => mark.startsWith(text.slice(at)))) return at;
  }
  return text.length;
}
