/**
 * Kind of text: a name as it is, a word with wildcards that the shell replaces, one with those of a program, or a word
 * of which a part is not known before it runs.
 */
export type TextKind = 'name' | 'wildcards' | 'quoted' | 'unseen';

/** Name of a path, or what may become one. */
export interface PathName {
  readonly text: string;
  readonly kind: TextKind;
}

/** Part of a name: `=x` for a character, `one` for any character, `any` for any number of them. */
type Token = `=${string}` | 'digit' | 'one' | 'any';

/** Number of characters of a name that are compared. No file has a longer one. */
const maxName = 255;
/** What of a known word a shell may replace, also with `extglob`, or the program that gets it: `*.{js,ts}`. */
const wildcard = /[*?[]|[@+!]\(|(?<![%$])\{[^\s"'{}]*\}/;
/** What a program replaces by paths: `{}` of `find`, and `{a/b,c}`. */
const paths = /\{\}|\{[^\s"'/{}]*\/[^\s"'{}]*\}/;
/** What of an unknown word is not known. */
const unseen = /[$`{]/;
/** Directory of another person, or one of those in which the shell was. */
const otherHome = /^~(?:[a-z_][\w.-]*|[+-]?\d*(?<!~))(?=\/|$)/i;

/** Returns how a word becomes a path, if that is known of all words of a kind. */
export function kindOf(text: string, kind: Exclude<TextKind, 'name'>): TextKind {
  if (otherHome.test(text) || (kind === 'unseen' && /[$`{}\]]/.test(text))) return 'unseen';
  if (!wildcard.test(text)) return 'name';
  return kind === 'quoted' ? 'quoted' : 'wildcards';
}

/** Reports whether a name may become a path of any number of names. */
export function isOpen({ text, kind }: PathName): boolean {
  return kind !== 'name' && (paths.test(text) || (kind === 'unseen' && (unseen.test(text) || text.startsWith('~'))));
}

/**
 * Reports whether two names may become the same name. With `isHidden`, wildcards of the first one match a leading dot.
 * What follows a brace, a group or a bracket that is no plain class is not compared. Takes time proportional to the
 * product of both lengths.
 */
export function mayBeSame(part: PathName, name: PathName, isHidden: boolean): boolean {
  // A shell leaves a pattern without a match as it is.
  if (part.text === name.text) return true;
  if (part.kind === 'name' && name.kind === 'name') return false;
  if (!isHidden && isShellWildcard(part) && name.text.startsWith('.')) return false;
  const [left, right] = [tokensOf(part), tokensOf(name)];
  // For each token of the right: whether it and those after it may be the same as those of the left that were seen.
  let ends: readonly boolean[] = right.map((_, at) => right.slice(at).every((one) => one === 'any')).concat(true);
  for (const one of left.toReversed()) {
    const row: boolean[] = [];
    row[right.length] = one === 'any' && ends[right.length] === true;
    for (let at = right.length - 1; at >= 0; at--) {
      const other = right[at];
      const isAny = one === 'any' || other === 'any';
      row[at] = (isAny ? ends[at] || row[at + 1] : isSame(one, other) && ends[at + 1]) === true;
    }
    ends = row;
  }
  return ends[0] === true;
}

/** Reports whether a name begins with a wildcard that matches no leading dot, as one in a group does. */
function isShellWildcard({ text, kind }: PathName): boolean {
  return kind !== 'name' && kind !== 'quoted' && /^[*?[](?!\()/.test(text);
}

function isSame(one: Token, other: Token | undefined): boolean {
  if (one === 'digit' || other === 'digit') return other !== undefined && [one, other].every(mayBeDigit);
  return other !== undefined && (one === 'one' || other === 'one' || one === other);
}

function mayBeDigit(token: Token): boolean {
  return !token.startsWith('=') || /\d/.test(token);
}

/** Returns the parts of a name. */
function tokensOf({ text, kind }: PathName): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    const token = tokenAt(text, at, kind);
    if (token === 'rest' || at >= maxName) return [...tokens, 'any'];
    if (token !== 'any' || tokens.at(-1) !== 'any') tokens.push(token);
    // A plain class is one character: `.[dev]` is no name with more of them.
    if (char === '[' && (token === 'one' || token === 'digit')) at = text.indexOf(']', at + 2);
  }
  return tokens;
}

function tokenAt(name: string, at: number, kind: TextKind): Token | 'rest' {
  const char = name.charAt(at);
  // How many characters a wildcard takes for one that is not ASCII depends on the locale.
  if (char > '\x7f') return 'any';
  if (kind === 'name') return `=${char}`;
  const rest = name.slice(at, at + maxName);
  if (/^[@+!?*]\(/.test(rest) || (kind === 'unseen' && unseen.test(char))) return 'rest';
  if (char === '*' || char === '\\') return 'any';
  // The digits of a number that is not known.
  if (rest.startsWith('[0-9]')) return 'digit';
  if (char === '?') return 'one';
  if (char === '[' && (kind === 'unseen' || rest.includes(']', 2)))
    return /^\[[!^]?[^[\]\\/!^][^[\]\\/]*\]/.test(rest) ? 'one' : 'rest';
  const isBrace = char === '{' && !/[%$]/.test(name.charAt(at - 1)) && /^\{[^\s"']*\}/.test(rest);
  return isBrace ? 'rest' : `=${char}`;
}
