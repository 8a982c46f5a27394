import type { Redactor } from '@varve/text';
import type { ProgramSandbox } from '../processes/program-sandbox.ts';

/** Default of `maxShells` in {@link TerminalOptions}. */
export const defaultMaxShells = 4;

/** Options of {@link terminal}. */
export interface TerminalOptions {
  /** Variables added to the environment of the shell; they override all others and may contain credentials. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Base environment of the shell, of which it gets the variables that programs need: paths, locales, addresses of
   * tools and proxies. Default: that of this process.
   *
   * @see publicVariables of `@varve/text`
   */
  readonly inherit?: Readonly<Record<string, string | undefined>>;
  /** Names of further variables of the base environment that the shell gets. */
  readonly inheritNames?: readonly string[];
  /**
   * Returns the secrets that a command needs, by variable name, for instance those that it names. They are in the
   * environment of this command only, and never in the typed input or the process list. Names that are not identifiers
   * are ignored. Called before each command. Default: no secrets.
   *
   * @see namedSecrets
   */
  readonly secrets?: (command: string) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /** Path of bash. Default: the first on the search path. */
  readonly shell?: string;
  /** True: a pseudo terminal or an error; false: pipes. Default: a pseudo terminal if its library can be loaded. */
  readonly pty?: boolean;
  /**
   * Maximum number of concurrent shells. A command that arrives while another call is running one gets a secondary
   * shell, which starts in the directory and with the environment of the main one. With 1, calls run one after the
   * other. Default: 4.
   */
  readonly maxShells?: number;
  /** A call without `timeout` returns after this time without new output. Default: 30 000. */
  readonly noChangeTimeoutMs?: number;
  /** Maximum length of the shown output, in UTF-16 units. Default: 30 000. */
  readonly maxOutputChars?: number;
  /** Maximum size of one saved output that is too long to show. Default: 64 MiB. */
  readonly maxSavedBytes?: number;
  /** Directory for saved output. Default: a private directory that `close` removes. */
  readonly outputDir?: string;
  /**
   * Receives sentences for a person when the terminal is closed: about each program that was still running and has been
   * ended, on Linux, and about changes of what git, editors and agents execute. Must not throw.
   */
  readonly onNotice?: (sentence: string) => void;
  /** Walls around the shells and all that they start; the caller closes them after the terminal. Default: none. */
  readonly sandbox?: ProgramSandbox;
  /** Masks secrets in output, before it is truncated or saved. Must not throw. Default: no masking. */
  readonly redactor?: Pick<Redactor, 'stream'>;
}

/**
 * Returns a function for the `secrets` option of a terminal, which passes a command the secrets whose names occur in
 * it, in upper or lower case, and no others.
 */
export function namedSecrets(
  secrets: Readonly<Record<string, string>>,
): (command: string) => Readonly<Record<string, string>> {
  return (command) => {
    const text = command.toLowerCase();
    return Object.fromEntries(Object.entries(secrets).filter(([name]) => text.includes(name.toLowerCase())));
  };
}
