/** Values without those that are undefined. */
export type Defined<T extends object> = { readonly [Key in keyof T]?: Exclude<T[Key], undefined> };

/** Returns the values that are defined, for options that must be absent instead of undefined. */
export function withoutUndefined<T extends object>(values: T): Defined<T> {
  const defined = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as Defined<T>;
}
