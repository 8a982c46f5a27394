import { isJsonObject } from '@varve/text';

/** Differences of two JSON values, at paths of object keys and indices. */
export interface Differences {
  readonly changed: readonly { readonly path: readonly string[]; readonly value: unknown }[];
  readonly removed: readonly (readonly string[])[];
}

/** Returns a list as an object, so that lists of different lengths can be compared value by value. */
export function byIndex<Value>(values: readonly Value[]): Readonly<Record<string, Value>> {
  return Object.fromEntries(values.entries());
}

/** Returns what has to change in `from` to make it `to`. Lists of different lengths are replaced whole. */
export function differencesOf(from: unknown, to: unknown, path: readonly string[] = []): Differences {
  if (Object.is(from, to)) return { changed: [], removed: [] };
  const isSameList = Array.isArray(from) && Array.isArray(to) && from.length === to.length;
  if (!isSameList && !(isJsonObject(from) && isJsonObject(to))) return { changed: [{ path, value: to }], removed: [] };
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
    removed: [...removed, ...inner.flatMap((child) => child.removed)],
  };
}

/** Applies differences. Objects on the way to a changed value that are missing in `from` are created. Pure. */
export function applyDifferences(from: unknown, { changed, removed }: Differences): unknown {
  const removals = newEdit();
  for (const path of removed) editAt(removals, path).isRemoved = true;
  const changes = newEdit();
  for (const { path, value } of changed) {
    const edit = editAt(changes, path);
    edit.own = { value };
    edit.inner.clear();
  }
  return edited(edited(from, removals, false), changes, true);
}

/** Change of a value and of values inside of it. A tree, so that each object is copied once for all of its changes. */
interface Edit {
  readonly inner: Map<string, Edit>;
  own?: { readonly value: unknown };
  isRemoved: boolean;
}

function newEdit(): Edit {
  return { inner: new Map(), isRemoved: false };
}

/** Returns the edit at a path, and creates those on the way to it. */
function editAt(root: Edit, path: readonly string[]): Edit {
  return path.reduce((edit, key) => {
    const next = edit.inner.get(key) ?? newEdit();
    edit.inner.set(key, next);
    return next;
  }, root);
}

/** Returns the value with its changes; `createsObjects` also those inside of values that are missing. */
function edited(from: unknown, { inner, own, isRemoved }: Edit, createsObjects: boolean): unknown {
  if (isRemoved) return undefined;
  const base = own ? own.value : from;
  if (inner.size === 0) return base;
  const entries = new Map<string, unknown>(isJsonObject(base) || Array.isArray(base) ? Object.entries(base) : []);
  for (const [key, edit] of inner) {
    if (edit.isRemoved) entries.delete(key);
    else if (createsObjects || entries.has(key)) entries.set(key, edited(entries.get(key), edit, createsObjects));
  }
  return Array.isArray(base) ? [...entries.values()] : Object.fromEntries(entries);
}
