import { endOfSpelling, startOfSpelling, type Forms, type Spelling } from './spelling.ts';

/** Spellings that begin alike: a text is compared with their common beginning once, and not with each of them. */
export interface SpellingGroup {
  /** The longest of them, whose beginning is looked up. */
  readonly longest: Spelling;
  readonly spellings: readonly Spelling[];
  /** The parts that all of them begin with. */
  readonly head: Spelling;
}

/** Parts that the spellings of a group have in common at least; no more than these are looked up. */
const leastCommon = 24;

/** Groups spellings by their beginnings. One without gaps, which is compared as a whole, is a group of its own. */
export function groupSpellings(spellings: readonly Spelling[]): readonly SpellingGroup[] {
  const gaps = Map.groupBy(spellings, ({ gap }) => gap);
  return [...gaps].flatMap(([gap, group]) => {
    if (!gap) return group.map((spelling) => groupOf([spelling]));
    return [...Map.groupBy(group, beginningOf).values()].map(groupOf);
  });
}

function beginningOf({ parts, mark }: Spelling): string {
  return JSON.stringify([parts.slice(0, leastCommon), mark]);
}

function groupOf(spellings: readonly Spelling[]): SpellingGroup {
  const longest = spellings.reduce((one, other) => (other.parts.length > one.parts.length ? other : one));
  const count = spellings.reduce((common, { parts }) => commonCount(parts, longest.parts, common), Infinity);
  return { longest, spellings, head: { ...longest, parts: longest.parts.slice(0, count) } };
}

/** Returns the number of parts that two lists begin with, at most `most`. */
function commonCount(one: readonly Forms[], other: readonly Forms[], most: number): number {
  const limit = Math.min(one.length, other.length, most);
  for (let index = 0; index < limit; index += 1) {
    if (one[index]?.join('\0') !== other[index]?.join('\0')) return index;
  }
  return limit;
}

/** Returns the start, and the ends, of the spellings of a group whose part number `part` starts at `at`. */
export function endsOfGroup(
  text: string,
  at: number,
  { head, spellings }: SpellingGroup,
  part: number,
): { readonly start: number; readonly ends: readonly number[] } | undefined {
  const start = startOfSpelling(text, at, head, part);
  const headEnd = start === undefined ? undefined : endOfSpelling(text, at, head, part);
  if (start === undefined || headEnd === undefined) return undefined;
  const count = head.parts.length;
  const next = head.gap ? head.gap.after(text, headEnd) : headEnd;
  const ends = spellings.flatMap((spelling) => {
    if (spelling.parts.length === count) return [headEnd];
    return endOfSpelling(text, next, spelling, count) ?? [];
  });
  return { start, ends };
}
