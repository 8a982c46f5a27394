/** A part of spellings of one beginning, and their rests by their first character. */
interface Branch {
  readonly text: string;
  /** Whether a spelling ends after this part. */
  readonly isEnd: boolean;
  readonly rests: Branches;
}

type Branches = ReadonlyMap<string, Branch>;

/** Compares a text with many spellings in the time of one: those of one beginning share it. */
export interface SpellingTree {
  /** Returns the end of the longest spelling that starts at an index; undefined if none does. */
  readonly endAt: (text: string, start: number) => number | undefined;
  /** Tests whether the text from an index is the beginning of a longer spelling. */
  readonly isUnfinished: (text: string, start: number) => boolean;
}

/** Builds the tree of some spellings, none of them empty. */
export function spellingTree(spellings: readonly string[]): SpellingTree {
  const branches = branchesOf([...new Set(spellings)].toSorted());
  return {
    endAt(text, start) {
      let end: number | undefined;
      let at = start;
      let branch = branches.get(text.charAt(at));
      while (branch && text.startsWith(branch.text, at)) {
        at += branch.text.length;
        if (branch.isEnd) end = at;
        branch = branch.rests.get(text.charAt(at));
      }
      return end;
    },
    isUnfinished(text, start) {
      let at = start;
      let branch = branches.get(text.charAt(at));
      while (branch) {
        const rest = text.length - at;
        if (rest < branch.text.length) return branch.text.startsWith(text.slice(at));
        if (!text.startsWith(branch.text, at)) return false;
        at += branch.text.length;
        if (at === text.length) return branch.rests.size > 0;
        branch = branch.rests.get(text.charAt(at));
      }
      return false;
    },
  };
}

/** Groups sorted texts by their first character, each group without what its texts have in common. */
function branchesOf(sorted: readonly string[]): Branches {
  const groups = Map.groupBy(sorted, (text) => text.charAt(0));
  return new Map([...groups].map(([character, group]) => [character, branchOf(group)]));
}

function branchOf(sorted: readonly string[]): Branch {
  const text = commonStart(sorted[0] ?? '', sorted.at(-1) ?? '');
  const rests = sorted.map((spelling) => spelling.slice(text.length));
  return { text, isEnd: rests[0] === '', rests: branchesOf(rests.filter((rest) => rest !== '')) };
}

/** The first and the last of sorted texts share what all share. */
function commonStart(first: string, last: string): string {
  let length = 0;
  while (length < first.length && first[length] === last[length]) length += 1;
  return first.slice(0, length);
}
