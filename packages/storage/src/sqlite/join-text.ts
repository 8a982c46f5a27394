import type { SplitText } from './split-text.ts';

/** Puts the strings back where `splitText` took them out. */
export function joinText({ rest, strings }: SplitText): string {
  let text = '';
  let from = 0;
  for (const { at, string } of strings) {
    text += rest.slice(from, at) + string;
    from = at;
  }
  return text + rest.slice(from);
}
