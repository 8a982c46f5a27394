/** See `maxShells` of {@link TerminalOptions}. */
export const defaultMaxShells = 4;

/** How a terminal tool works. */
export interface TerminalOptions {
  /** Added to the environment of the shell; wins over everything, credentials included. */
  readonly env?: Readonly<Record<string, string>>;
  /** The environment the shell starts from, credentials taken out. Default: that of this process. */
  readonly inherit?: Readonly<Record<string, string | undefined>>;
  /**
   * The secrets that a command needs, by the names of variables: those that it names, for instance. They are in the environment
   * of this command alone, and never in what is typed or in the list of processes. Names that are no identifiers are left out.
   * Asked before each command. Default: none.
   *
   * @see namedSecrets
   */
  readonly secrets?: (command: string) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /** Path of a bash. Default: the first on the search path. */
  readonly shell?: string;
  /** True: a pseudo terminal or fail; false: pipes. Default: a pseudo terminal where the library for it can be loaded. */
  readonly pty?: boolean;
  /**
   * How many shells there are at once: a command that comes while a call runs another has a shell of its own, which starts in
   * the directory and with the environment of the main one. With 1, calls run one after the other. Default: 4.
   */
  readonly maxShells?: number;
  /**
   * Whether a command of several statements, each on a line of its own, is refused instead of run as one script.
   * Default: false.
   *
   * @see software-agent-sdk openhands/tools/terminal (there they are always refused)
   */
  readonly rejectMultiple?: boolean;
  /** A call without a timeout of its own returns when nothing new was written for so long. Default: 30 000. */
  readonly noChangeTimeoutMs?: number;
  /** The longest output to show, in UTF-16 units. Default: 30 000. */
  readonly maxOutputChars?: number;
  /** The most that is saved of one output that is too long to show. Default: 64 MiB. */
  readonly maxSavedBytes?: number;
  /** Where such output is saved. Default: a private directory that `close` removes. */
  readonly outputDir?: string;
  /** Hides secrets in output before it is cut or saved, some lines at a time. Must not throw. Default: hides nothing. */
  readonly mask?: (text: string) => string;
}

/**
 * Hands a command those secrets whose names occur in it, in upper or lower case: for the `secrets` option of a terminal. A
 * command that does not name a secret does not have it.
 */
export function namedSecrets(
  secrets: Readonly<Record<string, string>>,
): (command: string) => Readonly<Record<string, string>> {
  return (command) => {
    const text = command.toLowerCase();
    return Object.fromEntries(Object.entries(secrets).filter(([name]) => text.includes(name.toLowerCase())));
  };
}
