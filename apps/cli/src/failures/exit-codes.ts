/** Exit statuses of the command. Printed by `varve help` and documented in docs/cli.md; numbers never change. */
export const exitCodes = {
  /** The task is finished, or the command succeeded. */
  ok: 0,
  /** A bug in varve. */
  bug: 1,
  /** A wrong option, a missing key or model, a workspace that is not a directory. */
  usage: 2,
  /** The model could not be reached or refused: see the message. */
  model: 3,
  /** The store cannot be read or written, or another process has the conversation open. */
  storage: 4,
  /** No conversation with this id. */
  missing: 5,
  /** The run ended without finishing: a limit, or the agent is stuck. `--resume` continues. */
  unfinished: 6,
  /** Calls wait for approval: `--resume ID --approve` or `--reject REASON`. */
  waiting: 7,
  /** The agent asks a question: `--resume ID` with the answer. */
  asked: 8,
  /** Paused or interrupted by Ctrl-C; `--resume` continues. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
