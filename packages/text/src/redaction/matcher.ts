import { byteGap, joinBytes } from './gap.ts';
import { lookupIndex, type LookupIndex } from './lookup-index.ts';
import { endsOfGroup, groupSpellings } from './spelling-group.ts';
import { endOfSpelling, isUnfinished, longestLength, startOfSpelling, type Spelling } from './spelling.ts';

/** Start and end of a part of a text, in UTF-16 units. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Finds spellings in texts. */
export interface Matcher {
  /**
   * Returns the parts of a text that are spellings, in order. Those that overlap are one. `startOf` may move the start
   * of a spelling, or leave it out.
   */
  readonly find: (text: string, startOf?: (start: number) => number | undefined) => readonly Range[];
  /** Returns the first index where a spelling starts that more text could complete, or else the length of the text. */
  readonly unfinishedFrom: (text: string) => number;
}

type Visit = Parameters<LookupIndex['search']>[1];

const none: readonly Range[] = [];
const same = (start: number): number => start;

/** Compiles spellings. Nothing is found that starts inside of the text `kept`. */
export function matcher(spellings: readonly Spelling[], kept: string): Matcher {
  const keptSpelling: Spelling = { parts: [[kept]] };
  const all = kept.length < 4 ? spellings : [...spellings, keptSpelling];
  const groups = new Map(groupSpellings(all).map((group) => [group.longest, group]));
  const index = lookupIndex([...groups.keys()]);
  const ofBytes = [...groups.keys()].filter(({ gap }) => gap === byteGap);
  let joinedIndex: LookupIndex | undefined;
  const byteIndex = (): LookupIndex => (joinedIndex ??= lookupIndex(ofBytes));
  const starts = byFirstCharacter(all);
  const longest = Math.max(0, ...all.map(longestLength));
  return {
    find(text, startOf = same) {
      const found: Range[] = [];
      const keptRanges: Range[] = [];
      const visit: Visit = (at, { spelling, part }) => {
        const group = groups.get(spelling);
        if (!group || isElsewhere(text, at, spelling)) return;
        const { start: first, ends = [] } = endsOfGroup(text, at, group, part) ?? {};
        const start = first === undefined || ends.length === 0 ? undefined : startOf(first);
        if (start === undefined) return;
        for (const end of ends) {
          const last = spelling.gap?.tail?.endOf(text, start, end) ?? end;
          (spelling === keptSpelling ? keptRanges : found).push({ start, end: last });
        }
      };
      index.search(text, visit);
      const joined = ofBytes.length > 0 ? joinBytes(text) : undefined;
      if (!joined) return found.length === 0 ? none : merged(found, keptRanges);
      byteIndex().search(joined.text, (at, place) => {
        // Comparing without gaps first takes less time.
        if (isWhole(joined.text, at, { ...place, spelling: groups.get(place.spelling)?.head ?? place.spelling })) {
          visit(joined.indexOf(at), place);
        }
      });
      return found.length === 0 ? none : merged(found, keptRanges);
    },
    unfinishedFrom(text) {
      for (let start = Math.max(0, text.length - longest); start < text.length; start += 1) {
        const candidates = starts.get(text.charAt(start));
        if (candidates?.some((spelling) => isUnfinished(text, start, spelling)) === true) return start;
      }
      return text.length;
    },
  };
}

function isWhole(joined: string, at: number, { spelling: { parts }, part }: Parameters<Visit>[1]): boolean {
  const start = startOfSpelling(joined, at, { parts }, part);
  return start !== undefined && endOfSpelling(joined, at, { parts }, part) !== undefined;
}

/** Tests whether a spelling around an index could only be one that another spelling finds, too. */
function isElsewhere(text: string, at: number, spelling: Spelling): boolean {
  const { mark, parts } = spelling;
  if (mark === undefined) return false;
  // Each part has three characters at most, and a line break.
  const length = 4 * parts.length + 40;
  return !text.slice(Math.max(0, at - length), at + length).includes(mark);
}

function byFirstCharacter(spellings: readonly Spelling[]): ReadonlyMap<string, readonly Spelling[]> {
  const entries = spellings.flatMap((spelling) =>
    [...new Set(spelling.parts[0]?.map((form) => form.charAt(0)))].map((character) => ({ character, spelling })),
  );
  const groups = Map.groupBy(entries, ({ character }) => character);
  return new Map([...groups].map(([character, group]) => [character, group.map(({ spelling }) => spelling)]));
}

/** Joins ranges that overlap, and leaves out those that start in a kept one. */
function merged(found: readonly Range[], kept: readonly Range[]): readonly Range[] {
  const result: { start: number; end: number }[] = [];
  const inOrder = kept.toSorted((one, other) => one.start - other.start);
  let next = 0;
  let keptUntil = 0;
  for (const { start, end } of found.toSorted((one, other) => one.start - other.start)) {
    const last = result.at(-1);
    for (let range = inOrder[next]; range !== undefined && range.start <= start; range = inOrder[next]) {
      if (range.start >= (last?.end ?? 0)) keptUntil = range.end;
      next += 1;
    }
    if (start < keptUntil) continue;
    if (last !== undefined && start < last.end) last.end = Math.max(last.end, end);
    else result.push({ start, end });
  }
  return result;
}
