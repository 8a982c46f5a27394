import type { Session } from './session.ts';

/** Command that a person types in a session after a slash: a file in `slash/`, and a line in `slash-commands.ts`. */
export interface SessionCommand {
  readonly name: string;
  /** Phrase for the help. */
  readonly description: string;
  /** Name of the argument in the help; absent if there is none. */
  readonly argument?: string;
  /** Executes it. Errors are printed. */
  readonly run: (session: Session, argument: string) => Promise<void> | void;
}
