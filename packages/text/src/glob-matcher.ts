/** Compiled glob pattern. */
export interface GlobMatcher {
  /** Returns true if a path, with `/` between its names, matches. */
  readonly matches: (path: string) => boolean;
  /** Returns true if a path, or a directory around it, matches. */
  readonly covers: (path: string) => boolean;
  /** Maximum number of steps for one character of a path. */
  readonly size: number;
}

/** Options of {@link globMatcher}. */
export interface GlobOptions {
  /** True if wildcards match a leading dot of a name. */
  readonly dot: boolean;
}

/** Condition on one character of a path. */
type Test = (char: string, isNameStart: boolean) => boolean;

/** Instruction of a matcher: consumes one character, continues at several places, or ends. */
type Instruction = { readonly test: Test } | { readonly to: readonly number[] } | 'end';

/**
 * Compiles a glob pattern: `*` and `?` within a name, `**` as a name for any directories, `[a-z]`, `[!a-z]`, `{a,b}`,
 * and `\` before a literal character. A leading `!` inverts the result. Braces without a comma, and unbalanced braces
 * and brackets, are literal characters.
 *
 * All alternatives are followed at the same time, so that a match takes at most one step per instruction and character,
 * whatever the pattern. A regular expression made from `*a*a*a*b` takes exponential time, and models write patterns.
 *
 * @see https://swtch.com/~rsc/regexp/regexp2.html
 */
export function globMatcher(pattern: string, options: GlobOptions): GlobMatcher {
  const isInverted = pattern.startsWith('!');
  const program = compile(Array.from(isInverted ? pattern.slice(1) : pattern), options);
  const automaton: Automaton = { program, reached: program.map((_, at) => reachedFrom(program, at)) };
  return {
    matches: (path) => run(automaton, path, () => false) !== isInverted,
    covers: (path) => run(automaton, path, (char) => char === '/') !== isInverted,
    size: program.length,
  };
}

/** Splits a glob pattern that is not inverted: `base` has its first, literal names, `glob` the names after them. */
export function splitGlob(pattern: string): { readonly base: string; readonly glob: string } {
  const names = pattern.split('/');
  const wildcard = names.findIndex((name) => /[*?[{\\]/.test(name));
  if (wildcard < 0) return { base: pattern, glob: '' };
  const base = names.slice(0, wildcard).join('/');
  return { base: base === '' && wildcard > 0 ? '/' : base, glob: names.slice(wildcard).join('/') };
}

function compile(chars: readonly string[], { dot }: GlobOptions): readonly Instruction[] {
  const compiler = new Compiler(chars, (char, isNameStart) => dot || char !== '.' || !isNameStart);
  return compiler.compile();
}

/** Compiles the characters of one pattern. */
class Compiler {
  readonly #program: Instruction[] = [];
  readonly #chars: readonly string[];
  readonly #braces: ReadonlyMap<number, Brace>;
  /** Holds for the characters that a wildcard over directories matches. */
  readonly #visible: Test;
  readonly #inName: Test;

  constructor(chars: readonly string[], visible: Test) {
    this.#chars = chars;
    this.#braces = bracesOf(chars);
    this.#visible = visible;
    this.#inName = (char, isNameStart) => char !== '/' && visible(char, isNameStart);
  }

  compile(): readonly Instruction[] {
    this.#part(0, this.#chars.length);
    this.#program.push('end');
    return this.#program;
  }

  #part(from: number, to: number): void {
    for (let at = from; at < to;) at = this.#next(at, to);
  }

  /** Compiles what begins at an index, and returns the index after it. */
  #next(at: number, to: number): number {
    const chars = this.#chars;
    const inName = this.#inName;
    const char = chars[at] ?? '';
    const brace = this.#braces.get(at);
    if (char === '*') return this.#stars(at);
    if (brace !== undefined) return this.#alternatives(brace, at);
    const set = char === '[' ? characterSet(chars, at, to) : undefined;
    if (set !== undefined) {
      this.#program.push({ test: (next, isNameStart) => inName(next, isNameStart) && set.has(next) });
      return set.end;
    }
    if (char === '?') {
      this.#program.push({ test: inName });
      return at + 1;
    }
    const end = char === '\\' && at + 1 < to ? at + 1 : at;
    const literal = chars[end] ?? '';
    this.#program.push({ test: (next) => next === literal });
    return end + 1;
  }

  #stars(at: number): number {
    const chars = this.#chars;
    const program = this.#program;
    let end = at;
    while (chars[end] === '*') end += 1;
    const isName = end - at > 1 && isNameEdge(chars[at - 1]) && isNameEdge(chars[end]);
    if (!isName || chars[end] !== '/') {
      this.#repeat(isName ? this.#visible : this.#inName);
      return end;
    }
    const fork = program.push({ to: [] }) - 1;
    this.#repeat(this.#visible);
    program.push({ test: (char) => char === '/' });
    program[fork] = { to: [fork + 1, program.length] };
    return end + 1;
  }

  #alternatives({ close, commas }: Brace, open: number): number {
    const program = this.#program;
    const fork = program.push({ to: [] }) - 1;
    const starts: number[] = [];
    const exits: number[] = [];
    const edges = [open, ...commas, close];
    for (let index = 1; index < edges.length; index += 1) {
      starts.push(program.length);
      this.#part((edges[index - 1] ?? 0) + 1, edges[index] ?? 0);
      exits.push(program.push({ to: [] }) - 1);
    }
    program[fork] = { to: starts };
    for (const exit of exits) program[exit] = { to: [program.length] };
    return close + 1;
  }

  /** Repeats a test any number of times. */
  #repeat(test: Test): void {
    const at = this.#program.length;
    this.#program.push({ to: [at + 1, at + 3] }, { test }, { to: [at] });
  }
}

function isNameEdge(char: string | undefined): boolean {
  return char === undefined || char === '/' || char === '{' || char === ',' || char === '}';
}

interface Brace {
  readonly close: number;
  readonly commas: readonly number[];
}

/** Returns the balanced braces that contain commas, by the index of the opening one. */
function bracesOf(chars: readonly string[]): ReadonlyMap<number, Brace> {
  const braces = new Map<number, Brace>();
  const open: { readonly at: number; readonly commas: number[] }[] = [];
  for (let at = 0; at < chars.length; at += 1) {
    const char = chars[at];
    if (char === '\\') at += 1;
    else if (char === '{') open.push({ at, commas: [] });
    else if (char === ',') open.at(-1)?.commas.push(at);
    else if (char === '}') {
      const brace = open.pop();
      if (brace && brace.commas.length > 0) braces.set(brace.at, { close: at, commas: brace.commas });
    }
  }
  return braces;
}

interface CharacterSet {
  has(char: string): boolean;
  /** Index after the closing bracket. */
  readonly end: number;
}

/** Returns the set of characters that begins at `[`; undefined if it is not closed. */
function characterSet(chars: readonly string[], open: number, to: number): CharacterSet | undefined {
  const isNegated = chars[open + 1] === '!' || chars[open + 1] === '^';
  const first = open + (isNegated ? 2 : 1);
  const ranges: (readonly [string, string])[] = [];
  for (let at = first; at < to; at += 1) {
    if (chars[at] === '/') return undefined;
    if (chars[at] === ']' && at > first) {
      return { end: at + 1, has: (char) => ranges.some(([low, high]) => low <= char && char <= high) !== isNegated };
    }
    if (chars[at] === '\\') at += 1;
    const low = chars[at] ?? '';
    const isRange = chars[at + 1] === '-' && chars[at + 2] !== ']' && at + 2 < to;
    if (isRange) at += 2;
    ranges.push([low, chars[at] ?? '']);
  }
  return undefined;
}

/** Program with the instructions that are reached from each instruction without consuming a character. */
interface Automaton {
  readonly program: readonly Instruction[];
  readonly reached: readonly (readonly number[])[];
}

function reachedFrom(program: readonly Instruction[], from: number): readonly number[] {
  const states = new Set([from]);
  // A set is iterated to its end, including the elements that the loop adds.
  for (const at of states) {
    const instruction = program[at];
    if (typeof instruction === 'object' && 'to' in instruction) for (const to of instruction.to) states.add(to);
  }
  return [...states].filter((at) => !(typeof program[at] === 'object' && 'to' in program[at]));
}

/** Returns true if a path matches, or its part before a character where `mayEnd` holds. */
function run({ program, reached }: Automaton, path: string, mayEnd: (char: string) => boolean): boolean {
  const isEnd = (at: number): boolean => program[at] === 'end';
  /** For each instruction the last step in which it was reached. */
  const steps = new Int32Array(program.length).fill(-1);
  let states = reached[0] ?? [];
  let isNameStart = true;
  let step = 0;
  for (const char of path) {
    if (mayEnd(char) && states.some(isEnd)) return true;
    const next: number[] = [];
    for (const at of states) {
      const instruction = program[at];
      if (typeof instruction !== 'object' || !('test' in instruction) || !instruction.test(char, isNameStart)) continue;
      for (const to of reached[at + 1] ?? []) {
        if (steps[to] === step) continue;
        steps[to] = step;
        next.push(to);
      }
    }
    if (next.length === 0) return false;
    states = next;
    isNameStart = char === '/';
    step += 1;
  }
  return states.some(isEnd);
}
