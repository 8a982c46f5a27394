import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CliError } from '../failures/cli-error.ts';
import { exitCodes } from '../failures/exit-codes.ts';

/** Text that a person edited in a file of its own. */
export interface EditedCopy {
  readonly text: string;
  readonly path: string;
  /** Removes the file and its directory. */
  readonly remove: () => Promise<void>;
}

/**
 * Opens a text in the editor of the person (`VISUAL`, `EDITOR`, or vi), which uses the terminal of this process.
 *
 * @throws {CliError} `usage` if the editor fails; its file is kept, and named in the error.
 */
export async function editCopy(
  text: string,
  name: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<EditedCopy> {
  const path = join(await mkdtemp(join(tmpdir(), 'varve-edit-')), name);
  await writeFile(path, text, { mode: 0o600 });
  const editor = env['VISUAL'] || env['EDITOR'] || 'vi';
  // An editor may have options: `code --wait`. The variable belongs to the user, and the path is an argument.
  const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', path], { stdio: 'inherit', env });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0)
    throw new CliError(exitCodes.usage, `The editor ended with status ${code}.`, `Your text is in ${path}.`);
  const remove = async (): Promise<void> => rm(dirname(path), { recursive: true, force: true });
  return { text: await readFile(path, 'utf8'), path, remove };
}
