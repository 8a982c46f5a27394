/** Word of a command after quote removal. */
export interface ShellWord {
  /** Value; undefined when it is only known when the command runs. */
  readonly text: string | undefined;
  /** Value, or the source text when the value is unknown. */
  readonly shown: string;
  /** True for a value that is certainly one word, because it is quoted: a program gets its wildcards. */
  readonly isOneWord?: boolean;
  /** True if this word is one of several values that a variable may have, so that its position is uncertain. */
  readonly isOneOf?: boolean;
}

/** Words of a command, its program first. */
export type ShellWords = readonly ShellWord[];
