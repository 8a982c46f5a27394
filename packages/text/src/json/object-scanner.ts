/** Finds the end of a JSON object in a text that may arrive in pieces. Does not check what is inside of it. */
export interface ObjectScanner {
  /**
   * Reads a piece, each character once. Returns the index after the last brace of the object if this piece holds it.
   */
  push(piece: string): number | undefined;
  /** All pieces so far are one object that has ended, with nothing but white space around it. */
  readonly isComplete: boolean;
}

type State = 'outside' | 'inside' | 'string' | 'escape';

/** The next character that matters in a state. */
const signs: Readonly<Record<State, RegExp>> = {
  outside: /[^ \n\r\t]/g,
  inside: /["{}]/g,
  string: /["\\]/g,
  escape: /[^]/g,
};

/** Creates a scanner that has read nothing yet. */
export function objectScanner(): ObjectScanner {
  /** Undefined for text that is not one object: the rest is not read. */
  let state: State | undefined = 'outside';
  let depth = 0;
  let hasBegun = false;
  const after = (sign: string): State | undefined => {
    if (state === 'escape') return 'string';
    if (state === 'string') return sign === '\\' ? 'escape' : 'inside';
    if (state === 'outside' && (sign !== '{' || hasBegun)) return undefined;
    hasBegun = true;
    if (sign === '"') return 'string';
    depth += sign === '{' ? 1 : -1;
    return depth === 0 ? 'outside' : 'inside';
  };
  return {
    push(piece) {
      let end: number | undefined;
      for (let at = 0; at < piece.length && state !== undefined;) {
        const search = signs[state];
        search.lastIndex = at;
        const sign = search.exec(piece)?.[0];
        if (sign === undefined) break;
        at = search.lastIndex;
        const before: State = state;
        state = after(sign);
        if (before === 'inside' && state === 'outside') end = at;
      }
      return end;
    },
    get isComplete() {
      return hasBegun && state === 'outside';
    },
  };
}

/**
 * Returns the index after the object that starts at `start`; undefined if it has no end or another text starts there.
 */
export function endOfObject(text: string, start: number): number | undefined {
  if (!text.startsWith('{', start)) return undefined;
  const end = objectScanner().push(text.slice(start));
  return end === undefined ? undefined : start + end;
}
