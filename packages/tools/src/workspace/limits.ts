/** Timeout of a command that sets none. */
export const defaultTimeoutMs = 30_000;

/** Maximum size of each collected stream of a command, in bytes. */
export const maxOutputBytes = 10 * 1024 * 1024;

/** Maximum size of a file that is read whole, in bytes. */
export const maxReadBytes = 64 * 1024 * 1024;
