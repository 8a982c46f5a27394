/** Command that a person types after a slash, for what executes it. */
export interface CommandFor<Receiver> {
  readonly name: string;
  /** Phrase for the help. */
  readonly description: string;
  /** Name of the argument in the help; absent for a command without one. */
  readonly argument?: string;
  /** Executes it. Errors are printed. */
  readonly run: (receiver: Receiver, argument: string) => Promise<void> | void;
}
