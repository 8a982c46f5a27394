/** Finds the end of a JSON object in a text that may arrive in pieces. Does not check what is inside of it. */
export interface ObjectScanner {
  /**
   * Reads a piece, each character once. Returns the index after the last brace of the object if this piece holds it.
   */
  push(piece: string): number | undefined;
  /** All pieces so far are one object that has ended, with nothing but white space around it. */
  readonly isComplete: boolean;
}

/** Options of a scanner. */
export interface ScanOptions {
  /**
   * `json`, the default: only double quotes delimit strings, and only braces are counted. `lenient`: single quotes
   * delimit strings as well, and square brackets have to match, as no parser checks them before such text is repaired.
   */
  readonly syntax?: 'json' | 'lenient';
}

type State = 'outside' | 'inside' | 'string' | 'escape';

/** The next character that matters in a state. */
const signs: Readonly<Record<'json' | 'lenient', Readonly<Record<State, RegExp>>>> = {
  json: { outside: /[^ \n\r\t]/g, inside: /["{}]/g, string: /["\\]/g, escape: /[^]/g },
  lenient: { outside: /[^ \n\r\t]/g, inside: /["'{}[\]]/g, string: /["'\\]/g, escape: /[^]/g },
};

const closers: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

/** Creates a scanner that has read nothing yet. */
export function objectScanner({ syntax = 'json' }: ScanOptions = {}): ObjectScanner {
  /** Undefined for text that is not one object: the rest is not read. */
  let state: State | undefined = 'outside';
  let hasBegun = false;
  let quote = '';
  /** Closers of what is open, the innermost last. */
  const open: string[] = [];
  const afterStructure = (sign: string): State | undefined => {
    const closer = closers[sign];
    if (closer !== undefined) {
      open.push(closer);
      return 'inside';
    }
    if (open.pop() !== sign) return undefined;
    return open.length === 0 ? 'outside' : 'inside';
  };
  const after = (sign: string): State | undefined => {
    if (state === 'escape') return 'string';
    if (state === 'string') return sign === '\\' ? 'escape' : sign === quote ? 'inside' : 'string';
    if (state === 'outside') {
      if (sign !== '{' || hasBegun) return undefined;
      hasBegun = true;
      return afterStructure(sign);
    }
    if (sign !== '"' && sign !== "'") return afterStructure(sign);
    quote = sign;
    return 'string';
  };
  return {
    push(piece) {
      let end: number | undefined;
      for (let at = 0; at < piece.length && state !== undefined;) {
        const search = signs[syntax][state];
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
export function endOfObject(text: string, start: number, options: ScanOptions = {}): number | undefined {
  if (!text.startsWith('{', start)) return undefined;
  const end = objectScanner(options).push(text.slice(start));
  return end === undefined ? undefined : start + end;
}
