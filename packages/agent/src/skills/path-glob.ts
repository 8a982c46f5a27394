/** Maximum number of patterns that the braces of one stand for; further ones are left out. */
const maxAlternatives = 64;

/**
 * Reports whether a pattern of a path rule names a path or a directory around it, as in `.gitignore`: `*` and `?`
 * within a name, `**` for any directories, `{a,b}` for alternatives. A pattern without a slash names files anywhere.
 * Both are relative to the workspace, with `/`.
 *
 * Takes time proportional to the lengths of both, whatever the pattern is: it comes from a repository.
 */
export function matchesGlob(pattern: string, path: string): boolean {
  const names = path.split('/');
  return alternatives(pattern).some((one) => {
    const text = one.replace(/\/+$/, '');
    const parts = text.replace(/^\/+/, '').split('/');
    const glob = text.includes('/') ? parts : ['**', ...parts];
    return names.some((_name, index) => matchesParts(glob, names.slice(0, index + 1)));
  });
}

function matchesParts(glob: readonly string[], names: readonly string[]): boolean {
  return matchesSequence(glob, names, {
    isMany: (part) => part === '**',
    isSame: (part, name) =>
      matchesSequence(part, name, {
        isMany: (character) => character === '*',
        isSame: (character, other) => character === '?' || character === other,
      }),
  });
}

interface Comparison {
  /** Reports whether an item of the pattern stands for any number of items. */
  readonly isMany: (item: string) => boolean;
  readonly isSame: (item: string, other: string) => boolean;
}

/** Compares two sequences. Only the last item that stands for many is tried again: no search is exponential. */
function matchesSequence(
  pattern: ArrayLike<string>,
  items: ArrayLike<string>,
  { isMany, isSame }: Comparison,
): boolean {
  let at = 0;
  let many = -1;
  let resume = 0;
  for (let index = 0; index < items.length;) {
    const wanted = pattern[at];
    if (wanted !== undefined && isMany(wanted)) {
      many = at++;
      resume = index;
    } else if (wanted !== undefined && isSame(wanted, items[index] ?? '')) {
      at++;
      index++;
    } else if (many >= 0) {
      at = many + 1;
      index = ++resume;
    } else return false;
  }
  while (at < pattern.length && isMany(pattern[at] ?? '')) at++;
  return at === pattern.length;
}

/** Returns the patterns that one with braces stands for. */
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
