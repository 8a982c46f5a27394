import { dirname, sep } from 'node:path';
import { globMatcher, splitGlob } from '@varve/text';
import { maxChars, type NamedPath, type PathReader } from './named-paths.ts';
import { isOpen, mayBeSame, type PathName, type TextKind } from './path-names.ts';
import type { Match } from './permission-rule.ts';

/** Pattern of a path rule, compiled for one workspace. */
interface PathPattern {
  /** Tests an absolute path, and not its parents. */
  readonly matches: (path: string) => boolean;
  /** Names of the paths that it matches, as it is written and with links resolved. */
  readonly forms: readonly Form[];
}

/** Names of the paths that a pattern matches. */
interface Form {
  /** `**` is any number of names. */
  readonly names: readonly PathName[];
  /** Most names of a directory around the files that is compared; less than 0 for a file name anywhere. */
  readonly around: number;
  /** True if the wildcards of a command may match a leading dot, as they do with `dotglob`. */
  readonly isHidden: boolean;
}

/**
 * Returns a comparison of a path rule with paths and their real paths. `yes` if either is, or is below, what the
 * pattern names; `maybe` if the path is a wildcard that may become it, a directory around it, or too long to compare.
 */
export function pathRule(pattern: string, reader: PathReader): (named: NamedPath) => Match {
  const compiled = compile(pattern, reader, true);
  return (named) => {
    const { path, real, kind, isComparable } = named;
    if (path.length > maxChars) return kind === 'name' ? 'no' : 'maybe';
    if (!isComparable) return 'maybe';
    const all = path === real ? [path] : [path, real];
    if (all.some((one) => withParents(one).some(compiled.matches))) return 'yes';
    const isPossible = all.some((one) => compiled.forms.some((form) => mayLeadTo(namesOf(one, kind), form)));
    return isPossible ? 'maybe' : 'no';
  };
}

/** Reports whether an allow rule covers a path: both its names match, in their exact case, and it is no wildcard. */
export function coversPath(pattern: string, named: NamedPath, reader: PathReader): boolean {
  if (named.kind !== 'name' || !named.isComparable || named.path.length > maxChars) return false;
  const compiled = compile(pattern, reader, false);
  return [named.path, named.real].every((path) => withParents(path).some(compiled.matches));
}

function compile(pattern: string, reader: PathReader, ignoreCase: boolean): PathPattern {
  const text = pattern.replace(/(?<!\/)\/+$/, '') || '/';
  if (!pattern.includes('/') && pattern !== '~') {
    const matches = matcher(text, ignoreCase);
    const names = namesInGlob(`**/${text.startsWith('!') ? '*' : text}`);
    return {
      matches: (path) => matches(path.split(sep).at(-1) ?? ''),
      forms: [{ names, around: -1, isHidden: false }],
    };
  }
  const { base, glob } = splitGlob(text.replace(/^(?:\.\/|!)/, ''));
  const bases = [reader.absolute(base), reader.named(base || '.').real];
  const tests = bases.map((start) => {
    if (glob === '') return (path: string) => isSame(path, start, ignoreCase);
    const matches = matcher(glob, ignoreCase);
    const prefix = start.endsWith(sep) ? start : start + sep;
    return (path: string) => startsWith(path, prefix, ignoreCase) && matches(path.slice(prefix.length));
  });
  const rest = namesInGlob(glob);
  const any = rest.findIndex(isAnyNames);
  const forms = bases.map((start): Form => {
    const names = [...namesOf(start, 'name'), ...rest];
    // The workspace is not around the named files, as for a name anywhere.
    if (base === '') return { names, around: names.length - rest.length - 1, isHidden: false };
    return { names, around: names.length - (any < 0 ? 1 : rest.length - any), isHidden: true };
  });
  return { matches: (path) => tests.some((test) => test(path)), forms };
}

/** Returns the names in a glob. What follows a brace around several names is not compared. */
function namesInGlob(glob: string): readonly PathName[] {
  const names = namesOf(glob.replaceAll('/', sep), 'wildcards');
  const at = glob.indexOf('{');
  const brace = at >= 0 && glob.includes('/', at) ? names.findIndex(({ text }) => text.includes('{')) : -1;
  return brace < 0 ? names : [...names.slice(0, brace), { text: '**', kind: 'wildcards' }];
}

function namesOf(path: string, kind: TextKind): readonly PathName[] {
  const names = path.split(sep).filter((text) => text !== '');
  return names.map((text) => ({ text: text.toLowerCase(), kind }));
}

function isAnyNames({ text, kind }: PathName): boolean {
  return text === '**' && (kind === 'wildcards' || kind === 'quoted');
}

/** Compiles the glob of a person for the paths of a model: no pair of them takes more than proportional time. */
function matcher(glob: string, ignoreCase: boolean): (path: string) => boolean {
  const { matches } = globMatcher(ignoreCase ? glob.toLowerCase() : glob, { dot: true });
  return ignoreCase ? (path) => matches(path.toLowerCase()) : matches;
}

/** Reports whether a path may become one that a pattern matches, one below it, or a directory around it. */
function mayLeadTo(path: readonly PathName[], form: Form): boolean {
  const { names, around } = form;
  // With `..` in it, an unknown part may lead anywhere.
  if (path.some((part) => part.kind === 'unseen' && isOpen(part))) return true;
  let places: ReadonlySet<number> = withoutNames(new Set([0]), names);
  for (const part of path) {
    if (places.size === 0 || places.has(names.length)) break;
    if (isOpen(part)) return true;
    const next = placesAfter(part, places, form);
    // With `globstar` it is any number of names.
    if (isAnyNames(part)) for (const place of next) for (const one of placesAfter(part, [place], form)) next.add(one);
    places = isAnyNames(part) ? next.union(places) : next;
  }
  const least = path.filter((part) => !isAnyNames(part)).length;
  return places.has(names.length) || (places.size > 0 && least <= around);
}

/** Returns the places in the names of a pattern after a name of a path, and after `**` that is no name there. */
function placesAfter(part: PathName, places: Iterable<number>, { names, isHidden }: Form): Set<number> {
  const next = [...places].flatMap((at) => {
    const name = names[at];
    if (name === undefined) return [];
    return isAnyNames(name) ? [at] : mayBeSame(part, name, isHidden) ? [at + 1] : [];
  });
  return withoutNames(new Set(next), names);
}

/** Adds the places in the names of a pattern where `**` is no name. */
function withoutNames(places: Set<number>, names: readonly PathName[]): Set<number> {
  // A set is iterated to its end, including the elements that the loop adds.
  for (const at of places) {
    const name = names[at];
    if (name && isAnyNames(name)) places.add(at + 1);
  }
  return places;
}

function withParents(path: string): readonly string[] {
  const paths = [path];
  for (let one = dirname(path); one !== paths.at(-1); one = dirname(one)) paths.push(one);
  return paths;
}

function isSame(a: string, b: string, ignoreCase: boolean): boolean {
  return ignoreCase ? a.toLowerCase() === b.toLowerCase() : a === b;
}

function startsWith(text: string, start: string, ignoreCase: boolean): boolean {
  return isSame(text.slice(0, start.length), start, ignoreCase);
}
