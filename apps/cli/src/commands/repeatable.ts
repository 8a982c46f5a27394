/** Collects the values of an option that may be repeated. */
export function repeatable(value: string, values: readonly string[]): readonly string[] {
  return [...values, value];
}
