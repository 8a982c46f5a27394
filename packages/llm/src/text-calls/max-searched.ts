/**
 * Longest text that is searched for calls: more than any model writes in one reply. A search takes memory for each line
 * and tag, and nothing else runs meanwhile.
 */
export const maxSearched = 1_000_000;
