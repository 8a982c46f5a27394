/** An opening tag with a name. */
export interface Opening {
  readonly name: string;
  /** The position after the tag. */
  readonly end: number;
}

/** Models put quotes or spaces around names, and run a parameter's name and value together: `<parameter=path=/tmp</parameter>`. */
const patterns = {
  function: /<function=\s*["']?([^\s"'<>=]+)["']?\s*>/y,
  parameter: /<parameter=\s*["']?([^\s"'<>=]+)["']?\s*(?:>|=)/y,
} as const;

/** The opening tag of a function or a parameter at exactly this position; undefined when there is none. */
export function openingAt(kind: keyof typeof patterns, text: string, at: number): Opening | undefined {
  const pattern = new RegExp(patterns[kind]);
  pattern.lastIndex = at;
  const name = pattern.exec(text)?.[1];
  return name === undefined ? undefined : { name, end: pattern.lastIndex };
}
