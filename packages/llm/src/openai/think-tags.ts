import type { Dialect } from './dialect.ts';

/** A piece of what a model said, told apart. */
export interface ToldPiece {
  readonly kind: 'text' | 'reasoning';
  readonly text: string;
}

/** Tells reasoning from text as it comes. */
export interface ThinkTags {
  push(text: string): readonly ToldPiece[];
  /** What was held back because it might have become a tag. */
  end(): readonly ToldPiece[];
}

const tag = /^<(think|thinking|reasoning)>/;
const openings = ['<think>', '<thinking>', '<reasoning>'];

/**
 * Takes the reasoning out of text that begins with it, as servers send it that do not know the model's template: between
 * tags, or up to the closing tag where the template has opened it. A tag anywhere else is text: the model may write about tags.
 */
export function thinkTags(mode: Dialect['thinkTags']): ThinkTags {
  let held = '';
  let state: 'before' | 'thinking' | 'text' = mode === 'never' ? 'text' : mode === 'opened' ? 'thinking' : 'before';
  let closing = '</think>';
  let hasThought = false;
  /** Whether nothing of this thought was told yet: models begin it with empty lines. */
  let isFresh = true;

  const before = (): readonly ToldPiece[] => {
    const start = held.trimStart();
    const found = tag.exec(start);
    if (found) {
      closing = `</${found[1]}>`;
      state = 'thinking';
      hasThought = true;
      held = start.slice(found[0].length);
      isFresh = true;
      return thinking();
    }
    if (start === '' || openings.some((opening) => opening.startsWith(start))) return [];
    state = 'text';
    return release(hasThought ? start : held, 'text');
  };
  const thinking = (): readonly ToldPiece[] => {
    if (isFresh) held = held.trimStart();
    const end = held.indexOf(closing);
    if (end === -1) {
      const safe = held.length - overlap(held, closing);
      const told = held.slice(0, safe);
      held = held.slice(safe);
      isFresh &&= told === '';
      return told === '' ? [] : [{ kind: 'reasoning', text: told }];
    }
    const told = held.slice(0, end);
    held = held.slice(end + closing.length);
    state = 'before';
    hasThought = true;
    return [...(told === '' ? [] : [{ kind: 'reasoning', text: told } as const]), ...before()];
  };
  const release = (text: string, kind: ToldPiece['kind']): readonly ToldPiece[] => {
    held = '';
    return text === '' ? [] : [{ kind, text }];
  };
  return {
    push(text) {
      if (state === 'text') return text === '' ? [] : [{ kind: 'text', text }];
      held += text;
      return state === 'before' ? before() : thinking();
    },
    end() {
      if (state === 'thinking') return release(held, 'reasoning');
      return release(hasThought ? held.trimStart() : held, 'text');
    },
  };
}

/** How many characters at the end of a text may be the beginning of a tag. */
function overlap(text: string, closing: string): number {
  for (let length = Math.min(closing.length - 1, text.length); length > 0; length -= 1) {
    if (text.endsWith(closing.slice(0, length))) return length;
  }
  return 0;
}
