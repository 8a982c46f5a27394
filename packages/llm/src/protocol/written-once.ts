/** What messages and tools became on the wire. They never change, so it holds for as long as they live. */
export type WireCache = WeakMap<object, unknown>;

/** What `write` makes of a value: made once for each value, where there is a cache. One cache serves one kind of `write`. */
export function cachedWire<V extends object, T>(cache: WireCache | undefined, value: V, write: (value: V) => T): T {
  const known = cache?.get(value);
  if (known !== undefined) return known as T;
  const written = write(value);
  cache?.set(value, written);
  return written;
}
