/** When a command is ended that says nothing else. */
export const defaultTimeoutMs = 30_000;

/** How much of each stream of a command is kept, in bytes. */
export const mostOutput = 10 * 1024 * 1024;

/** The largest file that is read whole, in bytes. */
export const mostRead = 64 * 1024 * 1024;
