import { ToolError } from '../contract/error.ts';

/** The paths and kinds that a caller got wrong; the rest is the system's fault. */
const wrongPath = new Set(['ENOENT', 'EEXIST', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE']);

/** Does work on files: what the system says against it becomes a {@link ToolError} with `doing` in its message. */
export async function mapSystemErrors<T>(doing: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
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
