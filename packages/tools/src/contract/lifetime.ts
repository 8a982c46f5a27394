import { ToolError } from './error.ts';

/** Time that work may continue after its call was cancelled. */
const graceMs = 900;

/** Cancelling and closing, the same for every tool. */
export interface Lifetime {
  /**
   * @throws {ToolError} `closed` after `close`; `aborted` when the signal has aborted and the work returned no result.
   */
  readonly run: <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T>;
  /** Closes once; every call returns the same promise. Absent for a tool that has nothing to close. */
  readonly close?: () => Promise<void>;
}

/** Closes a tool whose state is in memory only: nothing has to end, and no other conversation may see the state. */
export const closeMemory = async (): Promise<void> => undefined;

/**
 * Rejects work when the tool is closed or the call already cancelled, and abandons work that does not end within 0.9 s
 * after its call was cancelled.
 */
export function lifetime({ name, close }: { readonly name: string; readonly close?: () => Promise<void> }): Lifetime {
  let closing: Promise<void> | undefined;
  return {
    run: async (signal, work) => {
      if (closing !== undefined) throw new ToolError('closed', `The tool ${name} was closed.`);
      if (signal.aborted) throw abortedError(name);
      return withGracePeriod(name, signal, work());
    },
    ...(close && { close: () => (closing ??= (async () => close())()) }),
  };
}

async function withGracePeriod<T>(name: string, signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const abort = (): void => {
    timer = setTimeout(() => reject(abortedError(name)), graceMs);
  };
  // The work may have cancelled its call before it waited for anything.
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } catch (error) {
    if (signal.aborted && isAbort(error, signal)) throw abortedError(name, error);
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

/** Work that passes the signal on rejects with the signal's reason, or with an error named AbortError. */
function isAbort(error: unknown, signal: AbortSignal): boolean {
  return error === signal.reason || (error instanceof Error && error.name === 'AbortError');
}

function abortedError(name: string, cause?: unknown): ToolError {
  return new ToolError('aborted', `The call of ${name} was cancelled.`, cause === undefined ? {} : { cause });
}
