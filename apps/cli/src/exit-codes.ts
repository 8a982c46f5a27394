/** What the command's exit status says. Printed by `varve help` and documented in docs/cli.md; numbers never change. */
export const exitCodes = {
  /** The task is finished, or the command did what it was asked. */
  ok: 0,
  /** A bug in varve. */
  bug: 1,
  /** A wrong option, a missing key or model, a workspace that is no directory. */
  usage: 2,
  /** The model could not be reached or refused: see the message. */
  model: 3,
  /** The store cannot be read or written, or somebody else works on the conversation. */
  storage: 4,
  /** No conversation of this id. */
  missing: 5,
  /** The run ended without finishing: a limit, or the agent is stuck. `--resume` goes on. */
  unfinished: 6,
  /** Calls wait for approval: `--resume ID --approve` or `--reject REASON`. */
  waiting: 7,
  /** Paused or interrupted by Ctrl-C; `--resume` goes on. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
