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

/** A frozen object may contain objects that are not frozen, so only objects of this walk are skipped. */
function freeze(value: unknown, seen: Set<object>): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) return;
  seen.add(value);
  Object.freeze(value);
  for (const child of Object.values(value)) freeze(child, seen);
}
