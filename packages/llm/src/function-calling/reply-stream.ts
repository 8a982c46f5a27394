import { textOf, type Message } from '@varve/events';
import type { Delta } from '../delta.ts';

/** Hands on the pieces of a reply whose calls are written into its text. */
export interface ReplyStream {
  push(delta: Delta): void;
  /** Forgets what came: the request is sent again. */
  restart(reason: string): void;
  /** Hands out what was held back, so that all pieces add up to the message. */
  end(message: Message): void;
}

const thinkOpen = '<think>';
const thinkClose = '</think>';
/** From here on text may be a call, its fence and wrapper included, or thinking: the rest is known at the end. */
const mayBeCall = /(?:^[ \t]*(?:`{3,}|~{3,})[^\n]*\n\s*)?(?:<function=|<tool_call>)|^[ \t]*<think/m;
/** A fence at the end of what came, of which it is not known yet whether it holds a call. */
const openFence = /^[ \t]*(?:`{3,}|~{3,})[^\n]*(?:\n\s*(?:<[a-z_]*)?)?(?![^])/m;
/** A fence that has not begun within so many characters is not waited for, so that no piece is looked at too often. */
const maxFence = 1000;

/** A stream that holds back text from where a call may begin: whether it is one is known at the end. */
export function replyStream(onDelta: (delta: Delta) => void): ReplyStream {
  let held = '';
  let mode: 'beginning' | 'thinking' | 'saying' | 'calling' = 'beginning';
  let isBlank = true;
  let trims = true;
  let shown = { text: '', reasoning: '' };
  const show = (kind: 'text' | 'reasoning', text: string): void => {
    if (text === '') return;
    shown[kind] += text;
    onDelta({ kind, text });
  };
  const restart = (reason: string): void => {
    if (shown.text !== '' || shown.reasoning !== '') onDelta({ kind: 'reset', reason });
    held = '';
    mode = 'beginning';
    isBlank = true;
    trims = true;
    shown = { text: '', reasoning: '' };
  };
  const think = (): void => {
    if (trims) held = held.trimStart();
    const end = held.indexOf(thinkClose);
    const thought = end === -1 ? certain(held) : held.slice(0, end).trimEnd();
    show('reasoning', `${trims && thought !== '' && shown.reasoning !== '' ? '\n\n' : ''}${thought}`);
    trims = end !== -1 || (trims && thought === '');
    held = held.slice(end === -1 ? thought.length : end + thinkClose.length);
    if (end !== -1) mode = 'saying';
  };
  const say = (): void => {
    if (trims) held = held.trimStart();
    const call = held.search(mayBeCall);
    const fence = call === -1 ? held.search(openFence) : -1;
    if (call !== -1 || (fence !== -1 && held.length > maxFence)) mode = 'calling';
    const said = call === -1 ? certain(fence === -1 ? held : held.slice(0, fence)) : held.slice(0, call).trimEnd();
    trims &&= said === '';
    show('text', said);
    held = held.slice(said.length);
  };
  const hear = (text: string): void => {
    if (mode === 'calling') return;
    held += text;
    // White space alone tells nothing; a model that writes nothing else writes much of it.
    if (isBlank && text.trim() === '') return;
    if (mode === 'beginning') {
      mode = modeOf(held);
      if (mode === 'thinking') held = held.trimStart().slice(thinkOpen.length);
      if (mode === 'saying') trims = false;
    }
    if (mode === 'thinking') think();
    if (mode === 'saying') say();
    isBlank = held.trim() === '';
  };
  return {
    restart,
    push(delta) {
      if (delta.kind === 'reset') restart(delta.reason);
      if (delta.kind === 'reasoning') show('reasoning', delta.text);
      if (delta.kind === 'text') hear(delta.text);
    },
    end(message) {
      const text = textOf(message.content);
      const reasoning = message.reasoning_content ?? '';
      // What was shown as text has turned out to be something else: say it again.
      if (!text.startsWith(shown.text) || !reasoning.startsWith(shown.reasoning)) {
        restart('The reply had to be read again.');
      }
      show('reasoning', reasoning.slice(shown.reasoning.length));
      show('text', text.slice(shown.text.length));
      for (const [index, { name, arguments: json }] of (message.tool_calls ?? []).entries()) {
        onDelta({ kind: 'tool-call', index, name, arguments: json });
      }
    },
  };
}

function modeOf(held: string): 'beginning' | 'thinking' | 'saying' {
  const start = held.trimStart();
  if (start.startsWith(thinkOpen)) return 'thinking';
  return thinkOpen.startsWith(start) ? 'beginning' : 'saying';
}

/** The beginning of a text that will be said whatever follows: without what may begin a tag, and without space before it. */
function certain(held: string): string {
  const tag = held.lastIndexOf('<');
  const isOpen = tag !== -1 && held.length - tag <= 10 && /^<\/?[a-z_]*$/.test(held.slice(tag));
  return held
    .slice(0, isOpen ? tag : undefined)
    .replace(/[`~]{1,2}$/, '')
    .trimEnd();
}
