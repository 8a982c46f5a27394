import { sharedLength } from '../http/request-json.ts';

/** Wire forms by object identity. Messages and tools never change, so an entry stays valid. */
export type WireCache = WeakMap<object, unknown>;

/**
 * Returns the wire form of a value: from the cache when there is one, otherwise converted and stored. A cache belongs
 * to one kind of `convert`.
 */
export function cachedWire<V extends object, T>(cache: WireCache | undefined, value: V, convert: (value: V) => T): T {
  const known = cache?.get(value);
  if (known !== undefined) return known as T;
  const wire = convert(value);
  cache?.set(value, wire);
  return wire;
}

/** Messages of an earlier request, with their wire forms. */
interface KnownList<V, T> {
  readonly values: V[];
  readonly wires: T[];
}

/**
 * Returns the wire forms of a list. Those that it shares with the start of an earlier list with the same first item are
 * not looked up one by one, because each request repeats the messages of the one before: 2,000 of them took 0.2 ms.
 * Later calls change the result.
 */
export function cachedWires<V extends object, T>(
  cache: WireCache | undefined,
  values: readonly V[],
  convert: (value: V) => T,
): readonly T[] {
  const [first] = values;
  if (!first) return [];
  const known = cachedWire(cache, first, (): KnownList<V, T> => ({ values: [], wires: [] }));
  const same = sharedLength(known.values, values);
  known.values.length = same;
  known.wires.length = same;
  for (const value of values.slice(same)) {
    known.values.push(value);
    known.wires.push(convert(value));
  }
  return known.wires;
}

/**
 * Returns a JSON value in which every string is well-formed Unicode: half a surrogate pair, which cut text can end
 * with, becomes U+FFFD, because providers reject the whole request for one. The value is not changed, and is returned
 * itself when it is well-formed.
 */
export function withWellFormedText<T>(value: T): T {
  return isWellFormed(value) ? value : (repairText(value) as T);
}

/** Checks before copying: requests are long, and nearly all are well-formed. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (Array.isArray(value)) return value.every(isWellFormed);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, item]) => key.isWellFormed() && isWellFormed(item));
}

function repairText(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(repairText);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toWellFormed(), repairText(item)]));
}
