/** Quotes a value as one word of a POSIX shell, also if it is the first one: `a=b` would be a variable there. */
export function shellWord(value: string): string {
  return /^[\w@%+:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}
