import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Directory that is removed when disposed. */
export interface TemporaryDirectory extends AsyncDisposable {
  readonly path: string;
  /** Returns a path in it. */
  readonly at: (...names: readonly string[]) => string;
}

/** Creates an empty directory. */
export async function temporaryDirectory(): Promise<TemporaryDirectory> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'varve-server-')));
  return {
    path,
    at: (...names) => join(path, ...names),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}
