/** `T` with every property and element read-only, all the way down. */
export type Immutable<T> = T extends (infer Item)[]
  ? readonly Immutable<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Immutable<T[Key]> }
    : T;

/** Freezes a JSON value deeply and in place, and returns it typed as read-only. */
export function deepFreeze<T>(value: T): Immutable<T> {
  freeze(value, new Set());
  return value as Immutable<T>;
}

/**
 * Freezes a tree of JSON in place, and returns it. Frozen parts are skipped: they must be frozen deeply, as everything
 * is that a codec or a projection returns.
 */
export function freezeJson<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) for (const item of value) freezeJson(item);
  // `for in` is several times faster than Object.values.
  else for (const key in value) freezeJson(value[key]);
  return Object.freeze(value);
}

/** A frozen object may contain objects that are not frozen, so only objects of this walk are skipped. */
function freeze(value: unknown, seen: Set<object>): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) return;
  seen.add(value);
  Object.freeze(value);
  for (const child of Object.values(value)) freeze(child, seen);
}
