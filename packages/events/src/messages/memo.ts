/**
 * Caches one value per key object. The value is recomputed if an input is not identical to that of the last call.
 * Entries are collected with their keys.
 */
export function memo<Value>(): (key: object, inputs: readonly unknown[], make: () => Value) => Value {
  const entries = new WeakMap<object, { readonly inputs: readonly unknown[]; readonly value: Value }>();
  return (key, inputs, make) => {
    const known = entries.get(key);
    if (
      known &&
      known.inputs.length === inputs.length &&
      known.inputs.every((input, index) => input === inputs[index])
    ) {
      return known.value;
    }
    const value = make();
    entries.set(key, { inputs, value });
    return value;
  };
}
