import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { readSettingsText, replaceSettings, SettingsError } from '@varve/settings';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';
import { styled } from '../terminal/output.ts';
import { targetFile, type Target } from './config-actions.ts';

/**
 * Opens a copy of a settings file in the editor of the user, and replaces the file by the result if that is valid. An
 * invalid result is kept, and named in the error.
 *
 * @throws {CliError} `usage` if the editor fails, or the result is invalid, or another process changed the file.
 */
export async function editFile(target: Target): Promise<void> {
  const { io } = target;
  const file = await targetFile(target);
  const before = await readSettingsText(file);
  const copy = join(await mkdtemp(join(tmpdir(), 'varve-edit-')), basename(file.path));
  await writeFile(copy, before, { mode: 0o600 });
  await runEditor(io.env['VISUAL'] || io.env['EDITOR'] || 'vi', copy, io.env);
  const after = await readFile(copy, 'utf8');
  if (after !== before) await replace(file, { before, after, copy });
  await rm(join(copy, '..'), { recursive: true, force: true });
  io.stderr.line(styled('dim', after === before ? `${file.path} is unchanged.` : `Changed ${file.path}.`));
}

interface Edit {
  readonly before: string;
  readonly after: string;
  /** File with the new text. */
  readonly copy: string;
}

async function replace(file: Parameters<typeof replaceSettings>[0], { before, after, copy }: Edit): Promise<void> {
  const hint = `Your text is in ${copy}.`;
  try {
    await replaceSettings(file, (current) => {
      if (current === before) return after;
      throw new CliError(exitCodes.usage, `Another process changed ${file.path}.`, hint);
    });
  } catch (error) {
    if (error instanceof SettingsError) throw new CliError(exitCodes.usage, error.message, hint);
    throw error;
  }
}

async function runEditor(
  editor: string,
  path: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  // An editor may have options: `code --wait`. The variable belongs to the user, and the path is an argument.
  const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', path], { stdio: 'inherit', env });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0)
    throw new CliError(exitCodes.usage, `The editor ended with status ${code}.`, `Your text is in ${path}.`);
}
