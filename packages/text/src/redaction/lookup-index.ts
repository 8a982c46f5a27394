/** Calls `visit` with each index of a text where a spelling starts, and with others. */
export type Search = (text: string, visit: (start: number) => void) => void;

/** Characters that are looked up together. No spelling may be shorter. */
const gram = 4;
/** Characters of a spelling that are indexed: more make larger steps through a text, and more entries. */
const longestWindow = 12;

/**
 * Indexes the grams of the first characters of every spelling. A search looks up one gram of a text per step, where the
 * step is such that one of them is in each window. So its time depends on the shortest secret, and hardly on the number
 * of secrets.
 */
export function lookupIndex(spellings: readonly string[]): Search {
  const window = spellings.reduce((length, spelling) => Math.min(length, spelling.length), longestWindow);
  const step = window - gram + 1;
  /** Distances of a gram from the start of a spelling, by its hash. */
  const offsets = new Map<number, Set<number>>();
  const isIndexed = new Uint8Array(65_536);
  for (const spelling of spellings) {
    for (let offset = 0; offset < step; offset += 1) {
      const hash = hashAt(spelling, offset);
      isIndexed[hash] = 1;
      offsets.set(hash, (offsets.get(hash) ?? new Set()).add(offset));
    }
  }
  return (text, visit) => {
    for (let at = 0; at <= text.length - gram; at += step) {
      const hash = hashAt(text, at);
      if (isIndexed[hash] === 0) continue;
      for (const offset of offsets.get(hash) ?? []) if (at >= offset) visit(at - offset);
    }
  };
}

/** Distinct for most grams of ASCII; a spelling is compared as a whole before it counts as found. */
function hashAt(text: string, at: number): number {
  const low = text.charCodeAt(at) ^ (text.charCodeAt(at + 1) << 4);
  return (low ^ (text.charCodeAt(at + 2) << 8) ^ (text.charCodeAt(at + 3) << 12)) & 0xff_ff;
}
