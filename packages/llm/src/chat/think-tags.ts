import type { Dialect } from '../dialects/dialect.ts';

/** A piece of a reply. */
export interface TextPiece {
  readonly kind: 'text' | 'reasoning';
  readonly text: string;
}

/** Separates reasoning from text while a reply is streamed. */
export interface ThinkTags {
  push(text: string): readonly TextPiece[];
  /** Returns the text that was held back because it could be the start of a tag. */
  end(): readonly TextPiece[];
}

const tag = /^<(think|thinking|reasoning)>/;
const openings = ['<think>', '<thinking>', '<reasoning>'];

/**
 * Creates a separator for text that starts with reasoning, which servers send that do not know the model's template:
 * between tags, or up to the closing tag where the template has opened it. A tag anywhere else is text: the model may
 * write about tags.
 */
export function thinkTags(mode: Dialect['thinkTags']): ThinkTags {
  /** White space before `held`, in pieces: a reply of white space only is then not scanned again with each piece. */
  const spaces: string[] = [];
  let held = '';
  let state: 'before' | 'thinking' | 'text' = mode === 'never' ? 'text' : mode === 'opened' ? 'thinking' : 'before';
  let closing = '</think>';
  let hasThought = false;
  /** True until the first text of this reasoning: models start it with empty lines, which are dropped. */
  let isFresh = true;

  const takeSpaces = (): void => {
    const start = held.trimStart();
    if (start !== held) spaces.push(held.slice(0, held.length - start.length));
    held = start;
  };
  const release = (kind: TextPiece['kind']): readonly TextPiece[] => {
    const text = kind === 'text' && !hasThought ? [...spaces, held].join('') : held;
    held = '';
    spaces.length = 0;
    return text === '' ? [] : [{ kind, text }];
  };
  /** Each step returns the pieces that are complete in its state; undefined when more text is needed. */
  const steps: Readonly<Record<typeof state, () => readonly TextPiece[] | undefined>> = {
    before() {
      takeSpaces();
      const match = tag.exec(held);
      if (!match) {
        if (held === '' || openings.some((opening) => opening.startsWith(held))) return undefined;
        state = 'text';
        return [];
      }
      closing = `</${match[1]}>`;
      state = 'thinking';
      hasThought = true;
      isFresh = true;
      spaces.length = 0;
      held = held.slice(match[0].length);
      return [];
    },
    thinking() {
      if (isFresh) held = held.trimStart();
      const end = held.indexOf(closing);
      const safe = end === -1 ? held.length - overlap(held, closing) : end;
      const reasoning = held.slice(0, safe);
      held = held.slice(end === -1 ? safe : end + closing.length);
      if (end !== -1) {
        state = 'before';
        hasThought = true;
      }
      isFresh &&= reasoning === '';
      if (reasoning === '' && end === -1) return undefined;
      return reasoning === '' ? [] : [{ kind: 'reasoning', text: reasoning }];
    },
    text: () => (held === '' ? undefined : release('text')),
  };
  return {
    push(text) {
      held += text;
      const pieces: TextPiece[] = [];
      for (let step = steps[state](); step; step = steps[state]()) pieces.push(...step);
      return pieces;
    },
    end: () => release(state === 'thinking' ? 'reasoning' : 'text'),
  };
}

/** Returns the number of characters at the end of a text that may be the start of the tag. */
function overlap(text: string, closing: string): number {
  for (let length = Math.min(closing.length - 1, text.length); length > 0; length -= 1) {
    if (text.endsWith(closing.slice(0, length))) return length;
  }
  return 0;
}
