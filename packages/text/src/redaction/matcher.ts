import { joinedLines } from './joined-lines.ts';
import { lookupIndex } from './lookup-index.ts';
import { spellingTree } from './spelling-tree.ts';

/** Start and end of a part of a text, in UTF-16 units. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Finds spellings in texts. */
export interface Matcher {
  /**
   * Returns the parts of a text that are spellings, also in several lines of encoded text, in order. Those that overlap
   * are one. `startOf` may move the start of a spelling, or leave it out.
   */
  readonly find: (text: string, startOf?: (start: number) => number | undefined) => readonly Range[];
  /** Returns the first index where a spelling starts that more text could complete, or else the length of the text. */
  readonly unfinishedFrom: (text: string) => number;
}

const none: readonly Range[] = [];
const same = (start: number): number => start;
/** A shorter text that takes the place of secrets is searched for them again. */
const shortestKept = 4;

/** Compiles spellings of four characters or more. Nothing is found that starts inside of the text `kept`. */
export function matcher(spellings: readonly string[], kept: string): Matcher {
  const search = lookupIndex(spellings);
  const tree = spellingTree(spellings);
  const keeps = kept.length >= shortestKept;
  const waitedFor = keeps ? [...spellings, kept] : spellings;
  const unfinished = spellingTree(waitedFor);
  const longest = waitedFor.reduce((length, spelling) => Math.max(length, spelling.length), 0);
  const unfinishedIn = (text: string): number => {
    for (let start = Math.max(0, text.length - longest); start < text.length; start += 1) {
      if (unfinished.isUnfinished(text, start)) return start;
    }
    return text.length;
  };
  return {
    find(text, startOf = same) {
      const ranges: Range[] = [];
      const add = (first: number, end: number): void => {
        const start = startOf(first);
        if (start !== undefined) ranges.push({ start, end });
      };
      const searchIn = (searched: string, found: typeof add): void =>
        search(searched, (first) => {
          const end = tree.endAt(searched, first);
          if (end !== undefined) found(first, end);
        });
      searchIn(text, add);
      for (const lines of joinedLines(text, longest)) {
        searchIn(lines.text, (first, end) => add(lines.indexOf(first), lines.indexOf(end - 1) + 1));
      }
      return ranges.length === 0 ? none : merged(ranges, keeps ? rangesOf(kept, text) : none);
    },
    unfinishedFrom(text) {
      const whole = unfinishedIn(text);
      const last = [...joinedLines(text, longest)].find(({ isLast }) => isLast);
      const from = last ? unfinishedIn(last.text) : undefined;
      return last && from !== undefined && from < last.text.length ? Math.min(whole, last.indexOf(from)) : whole;
    },
  };
}

function rangesOf(part: string, text: string): readonly Range[] {
  const ranges: Range[] = [];
  for (let start = text.indexOf(part); start >= 0; start = text.indexOf(part, start + 1)) {
    ranges.push({ start, end: start + part.length });
  }
  return ranges;
}

/** Joins ranges that overlap, and leaves out those that start in a kept one. */
function merged(ranges: readonly Range[], kept: readonly Range[]): readonly Range[] {
  const result: { start: number; end: number }[] = [];
  let next = 0;
  let keptUntil = 0;
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    for (let range = kept[next]; range !== undefined && range.start <= start; range = kept[next]) {
      if (range.start >= (last?.end ?? 0)) keptUntil = range.end;
      next += 1;
    }
    if (start < keptUntil) continue;
    if (last !== undefined && start < last.end) last.end = Math.max(last.end, end);
    else result.push({ start, end });
  }
  return result;
}
