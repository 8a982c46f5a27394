import { skipSpace } from '../function-tags/tags.ts';

/** Matches a sticky pattern at exactly `at`. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  const sticky = new RegExp(pattern);
  sticky.lastIndex = at;
  return sticky.exec(text);
}

/** Returns the position after a match and the white space that follows it; undefined without a match at `at`. */
export function after(pattern: RegExp, text: string, at: number): number | undefined {
  const match = matchAt(pattern, text, at);
  return match ? skipSpace(text, at + match[0].length) : undefined;
}
