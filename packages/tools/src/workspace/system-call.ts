import { ToolError } from '../contract/error.ts';

/** Error codes caused by the arguments of the caller; all others are failures of the system. */
const wrongPath = new Set(['ENOENT', 'EEXIST', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE']);

/** Runs work on files and converts system errors to {@link ToolError}s with `doing` in their message. */
export async function mapSystemErrors<T>(
  doing: string,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ToolError) throw error;
    if (signal?.aborted) throw new ToolError('aborted', `${doing} was cancelled.`, { cause: error });
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    if (code === undefined) throw error;
    throw new ToolError(wrongPath.has(code) ? 'invalid-input' : 'unusable', `${doing} failed: ${code}.`, {
      cause: error,
    });
  }
}
