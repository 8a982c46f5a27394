type Fields = Readonly<Record<string, unknown>>;

/** Names of parameters of other tools, and parameters that have no effect. */
export interface Habits {
  /** Own names by names that models write in their place. */
  readonly names: Readonly<Record<string, string>>;
  /** Parameters that describe a call and change nothing of it. */
  readonly ignored?: readonly string[];
}

/**
 * Returns the arguments of a call with the parameters of this tool in place of those that models know from others. A
 * name is replaced only if the own one is missing, so that no value is lost.
 */
export function withoutHabits(fields: Fields, { names, ignored = [] }: Habits): Fields {
  const entries = Object.entries(fields)
    .filter(([name]) => !ignored.includes(name))
    .map(([name, value]) => {
      const realName = Object.hasOwn(names, name) ? names[name] : undefined;
      return [realName === undefined || Object.hasOwn(fields, realName) ? name : realName, value] as const;
    });
  // Of two names for one parameter, none is right.
  return new Set(entries.map(([name]) => name)).size === entries.length ? Object.fromEntries(entries) : fields;
}
