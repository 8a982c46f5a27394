import { basename } from 'node:path';
import { readSettingsText, replaceSettings, SettingsError } from '@varve/settings';
import { CliError } from '../failures/cli-error.ts';
import { exitCodes } from '../failures/exit-codes.ts';
import { editCopy } from '../terminal/edit-copy.ts';
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
  const { text: after, path: copy, remove } = await editCopy(before, basename(file.path), io.env);
  if (after !== before) await replace(file, { before, after, copy });
  await remove();
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
