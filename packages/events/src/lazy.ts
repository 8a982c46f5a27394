/**
 * Returns a function that builds a value at its first call and returns it at every call. Schemas are declared with it,
 * because a process uses few of them: a start of the server takes a third less processor time.
 */
/* @__NO_SIDE_EFFECTS__ */
export function lazy<Value extends object>(build: () => Value): () => Value {
  let value: Value | undefined;
  return () => (value ??= build());
}
