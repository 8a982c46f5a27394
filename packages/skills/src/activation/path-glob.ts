/** Maximum number of patterns that the braces of one stand for; further ones are left out. */
const maxAlternatives = 64;
/** Characters of a path; no system has longer ones. */
const maxPath = 4096;

/**
 * Reports whether a pattern of a path rule names a path or a directory around it, as in `.gitignore`: `*` and `?`
 * within a name, `**` for any directories, `{a,b}` for alternatives. A pattern without a slash names files anywhere.
 * Both are relative to the workspace, with `/`.
 *
 * Takes time proportional to the lengths of both, whatever the pattern is: it comes from a repository.
 */
export function matchesGlob(pattern: string, path: string): boolean {
  if (path.length > maxPath) return false;
  const names = path.split('/');
  return alternatives(pattern).some((one) => {
    const text = one.replace(/(?<!\/)\/+$/, '');
    const parts = text.replace(/^\/+/, '').split('/');
    return matchesStart(text.includes('/') ? parts : ['**', ...parts], names);
  });
}

/** Reports whether all of a pattern matches the first names of a path. Follows all possibilities at the same time. */
function matchesStart(glob: readonly string[], names: readonly string[]): boolean {
  let places = reached([0], glob);
  for (const name of names) {
    const next = [...places].flatMap((at) => {
      const part = glob[at];
      if (part === '**') return [at];
      return part !== undefined && matchesName(part, name) ? [at + 1] : [];
    });
    places = reached(next, glob);
    if (places.has(glob.length)) return true;
    if (places.size === 0) return false;
  }
  return false;
}

/** Adds the places after `**`, which may match no directory. */
function reached(places: readonly number[], glob: readonly string[]): ReadonlySet<number> {
  const all = new Set(places);
  // A set is iterated to its end, including the elements that the loop adds.
  for (const at of all) if (glob[at] === '**') all.add(at + 1);
  return all;
}

/** Only the last star is tried again: no search is exponential. */
function matchesName(pattern: string, name: string): boolean {
  let at = 0;
  let star = -1;
  let resume = 0;
  for (let index = 0; index < name.length;) {
    const wanted = pattern[at];
    if (wanted === '*') {
      star = at++;
      resume = index;
    } else if (wanted !== undefined && (wanted === '?' || wanted === name[index])) {
      at++;
      index++;
    } else if (star >= 0) {
      at = star + 1;
      index = ++resume;
    } else return false;
  }
  while (pattern[at] === '*') at++;
  return at === pattern.length;
}

/** Returns the patterns that one with braces expands to. */
function alternatives(pattern: string): readonly string[] {
  const done: string[] = [];
  const open = [pattern];
  for (let next = open.pop(); next !== undefined && done.length < maxAlternatives; next = open.pop()) {
    const braces = /\{([^{}]*)\}/.exec(next);
    if (!braces || open.length > maxAlternatives) {
      done.push(next);
      continue;
    }
    const [whole, inner = ''] = braces;
    const { index } = braces;
    const [start, end] = [next.slice(0, index), next.slice(index + whole.length)];
    open.push(
      ...inner
        .split(',')
        .slice(0, maxAlternatives)
        .map((one) => start + one + end),
    );
  }
  return done;
}
