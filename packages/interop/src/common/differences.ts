/** Differences of two JSON values, at paths of object keys and indices. */
export interface Differences {
  readonly changed: readonly { readonly path: readonly string[]; readonly value: unknown }[];
  readonly removed: readonly (readonly string[])[];
}

/** No differences. */
export const noDifferences: Differences = { changed: [], removed: [] };

/** Returns what has to change in `from` to make it `to`. Lists of different lengths are replaced whole. */
export function differencesOf(from: unknown, to: unknown, path: readonly string[] = []): Differences {
  if (Object.is(from, to)) return noDifferences;
  const isSameList = Array.isArray(from) && Array.isArray(to) && from.length === to.length;
  if (!isSameList && !(isObject(from) && isObject(to))) return { changed: [{ path, value: to }], removed: [] };
  const before = new Map<string, unknown>(Object.entries(from));
  const after = new Map<string, unknown>(Object.entries(to));
  const inner = [...after].map(([key, value]) => {
    const at = [...path, key];
    return before.has(key)
      ? differencesOf(before.get(key), value, at)
      : { changed: [{ path: at, value }], removed: [] };
  });
  const removed = [...before.keys()].filter((key) => !after.has(key)).map((key) => [...path, key]);
  return {
    changed: inner.flatMap(({ changed }) => changed),
    removed: [...removed, ...inner.flatMap((one) => one.removed)],
  };
}

/** Applies differences. Objects on the way to a changed value that are missing in `from` are created. Pure. */
export function applyDifferences(from: unknown, { changed, removed }: Differences): unknown {
  const without = removed.reduce((value, path) => withChange(value, path, undefined), from);
  return changed.reduce<unknown>((value, { path, value: own }) => withChange(value, path, { own }), without);
}

type Change = { readonly own: unknown } | undefined;

/** Sets the value at a path, or removes it without a change. */
function withChange(from: unknown, [key, ...path]: readonly string[], change: Change): unknown {
  if (key === undefined) return change?.own;
  const entries = new Map<string, unknown>(isObject(from) || Array.isArray(from) ? Object.entries(from) : []);
  if (path.length === 0 && !change) entries.delete(key);
  else if (change || entries.has(key)) entries.set(key, withChange(entries.get(key), path, change));
  return Array.isArray(from) ? [...entries.values()] : Object.fromEntries(entries);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
