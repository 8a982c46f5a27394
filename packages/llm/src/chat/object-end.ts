/** Watches a JSON object come in pieces. */
export interface ObjectEnd {
  /** Looks at each character once. */
  push(piece: string): void;
  /** Whether what came is one object that has ended, with nothing but white space around it. Its inside is not checked. */
  readonly isOver: boolean;
}

type State = 'around' | 'inside' | 'string' | 'escape' | 'spoilt';

/** The next character that matters in a state. */
const signs: Readonly<Record<State, RegExp>> = {
  around: /[^ \n\r\t]/g,
  inside: /["{}]/g,
  string: /["\\]/g,
  escape: /[^]/g,
  spoilt: /(?!)/g,
};

/** Nothing has come yet. */
export function objectEnd(): ObjectEnd {
  let state: State = 'around';
  let depth = 0;
  let hasBegun = false;
  const open = (): State => {
    depth += 1;
    hasBegun = true;
    return 'inside';
  };
  const close = (): State => {
    depth -= 1;
    return depth === 0 ? 'around' : 'inside';
  };
  const after = (sign: string): State => {
    if (state === 'around') return sign === '{' && !hasBegun ? open() : 'spoilt';
    if (state === 'escape') return 'string';
    if (state === 'string') return sign === '"' ? 'inside' : 'escape';
    return sign === '"' ? 'string' : sign === '{' ? open() : close();
  };
  return {
    push(piece) {
      for (let at = 0; at < piece.length;) {
        const search = signs[state];
        search.lastIndex = at;
        const sign = search.exec(piece)?.[0];
        if (sign === undefined) return;
        at = search.lastIndex;
        state = after(sign);
      }
    },
    get isOver() {
      return hasBegun && state === 'around';
    },
  };
}
