import type { Dialect } from '../dialects/dialect.ts';

/** A piece of what a model said, told apart. */
export interface TextPiece {
  readonly kind: 'text' | 'reasoning';
  readonly text: string;
}

/** Tells reasoning from text as it comes. */
export interface ThinkTags {
  push(text: string): readonly TextPiece[];
  /** What was held back because it might have become a tag. */
  end(): readonly TextPiece[];
}

const tag = /^<(think|thinking|reasoning)>/;
const openings = ['<think>', '<thinking>', '<reasoning>'];

/**
 * Takes the reasoning out of text that begins with it, as servers send it that do not know the model's template: between
 * tags, or up to the closing tag where the template has opened it. A tag anywhere else is text: the model may write about tags.
 */
export function thinkTags(mode: Dialect['thinkTags']): ThinkTags {
  /** White space before what is held, in pieces: a model that says nothing else is not read anew with each. */
  const spaces: string[] = [];
  let held = '';
  let state: 'before' | 'thinking' | 'text' = mode === 'never' ? 'text' : mode === 'opened' ? 'thinking' : 'before';
  let closing = '</think>';
  let hasThought = false;
  /** Whether nothing of this thought was told yet: models begin it with empty lines. */
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
  /** Takes what can be told in this state; undefined when more must come first. */
  const steps: Readonly<Record<typeof state, () => readonly TextPiece[] | undefined>> = {
    before() {
      takeSpaces();
      const found = tag.exec(held);
      if (!found) {
        if (held === '' || openings.some((opening) => opening.startsWith(held))) return undefined;
        state = 'text';
        return [];
      }
      closing = `</${found[1]}>`;
      state = 'thinking';
      hasThought = true;
      isFresh = true;
      spaces.length = 0;
      held = held.slice(found[0].length);
      return [];
    },
    thinking() {
      if (isFresh) held = held.trimStart();
      const end = held.indexOf(closing);
      const safe = end === -1 ? held.length - overlap(held, closing) : end;
      const told = held.slice(0, safe);
      held = held.slice(end === -1 ? safe : end + closing.length);
      if (end !== -1) {
        state = 'before';
        hasThought = true;
      }
      isFresh &&= told === '';
      if (told === '' && end === -1) return undefined;
      return told === '' ? [] : [{ kind: 'reasoning', text: told }];
    },
    text: () => (held === '' ? undefined : release('text')),
  };
  return {
    push(text) {
      held += text;
      const told: TextPiece[] = [];
      for (let step = steps[state](); step; step = steps[state]()) told.push(...step);
      return told;
    },
    end: () => release(state === 'thinking' ? 'reasoning' : 'text'),
  };
}

/** How many characters at the end of a text may be the beginning of a tag. */
function overlap(text: string, closing: string): number {
  for (let length = Math.min(closing.length - 1, text.length); length > 0; length -= 1) {
    if (text.endsWith(closing.slice(0, length))) return length;
  }
  return 0;
}
