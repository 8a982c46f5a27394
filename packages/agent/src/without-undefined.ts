/** The fields of a record that are not undefined: to name an option without a value is not to change its default. */
export function withoutUndefined<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as typeof fields &
    object;
}
