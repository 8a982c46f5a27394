import { textOf, type Message } from '@varve/events';
import type { Delta } from '../delta.ts';
import { joined } from './split-thinking.ts';

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
/** From here on text may be a call, or the fence or wrapper around one. */
const mayBeCall = /<function=|<tool_call>|^ {0,3}(?:```|~~~)/m;

/** A stream that holds back text from where a call may begin: whether it is one is known at the end. */
export function replyStream(onDelta: (delta: Delta) => void): ReplyStream {
  let held = '';
  let mode: 'beginning' | 'thinking' | 'saying' | 'calling' = 'beginning';
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
    shown = { text: '', reasoning: '' };
  };
  const hear = (text: string): void => {
    held += text;
    if (mode === 'beginning') mode = modeOf(held);
    if (mode === 'thinking') {
      const end = held.indexOf(thinkClose);
      if (end === -1) return;
      const thought = held.trimStart().slice(thinkOpen.length).split(thinkClose, 1)[0] ?? '';
      show('reasoning', joined(shown.reasoning, thought.trim()).slice(shown.reasoning.length));
      held = held.slice(end + thinkClose.length);
      mode = 'saying';
    }
    if (mode !== 'saying') return;
    if (shown.text === '' && shown.reasoning !== '') held = held.trimStart();
    const call = held.search(mayBeCall);
    if (call !== -1) mode = 'calling';
    const said = call === -1 ? certain(held) : held.slice(0, call).trimEnd();
    show('text', said);
    held = held.slice(said.length);
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
  const isOpen = tag !== -1 && held.length - tag <= 10 && /^<[a-z_]*$/.test(held.slice(tag));
  return held
    .slice(0, isOpen ? tag : undefined)
    .replace(/[`~]{1,2}$/, '')
    .trimEnd();
}
