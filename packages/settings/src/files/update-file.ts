import type * as z from 'zod';
import { SettingsError } from '../error.ts';
import { withFileLock, type LockOptions } from './file-lock.ts';
import { readTextFile, replaceFile, type ReplaceOptions } from './text-file.ts';

/** Options of {@link updateFile}. */
export interface UpdateOptions extends LockOptions, ReplaceOptions {
  /** Lock of all writers of the file. It is never in a directory that a repository controls. */
  readonly lockFile: string;
}

/**
 * Replaces the text of a file by the result of `change`, which receives the current text (undefined if the file is
 * missing). Returns without writing if the result is the current text. No concurrent update is lost.
 *
 * @throws {SettingsError} `locked`, `invalid`, `io`; what `change` throws, and then nothing is written.
 */
export async function updateFile(
  path: string,
  change: (text: string | undefined) => string | Promise<string>,
  options: UpdateOptions,
): Promise<void> {
  await withFileLock(
    options.lockFile,
    async () => {
      const before = await readTextFile(path, options);
      const after = await change(before);
      if (after !== before) await replaceFile(path, after, options);
    },
    options,
  );
}

/**
 * Reads a JSON file that only this package writes; undefined if it is missing.
 *
 * @throws {SettingsError} `invalid` if it is not JSON of this schema; `io`.
 */
export async function readJsonFile<T>(path: string, schema: z.ZodType<T>): Promise<T | undefined> {
  const text = await readTextFile(path);
  return text === undefined ? undefined : parseJson(path, text, schema);
}

/**
 * Replaces the value of a JSON file by the result of `change`, which receives the current value (undefined if the file
 * is missing). No concurrent update is lost.
 *
 * @throws {SettingsError} as {@link updateFile}; `invalid` if the file is not JSON of this schema.
 */
export async function updateJsonFile<T>(
  path: string,
  schema: z.ZodType<T>,
  change: (value: T | undefined) => T | Promise<T>,
  options: UpdateOptions,
): Promise<void> {
  await updateFile(
    path,
    async (text) => {
      const value = await change(text === undefined ? undefined : parseJson(path, text, schema));
      return `${JSON.stringify(value, undefined, 2)}\n`;
    },
    options,
  );
}

/** Parses the text of a JSON file. The message names the place of the first problem, and never a value. */
export function parseJson<T>(path: string, text: string, schema: z.ZodType<T>): T {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    // The parser's message quotes the text, which may be a secret.
    const position = error instanceof SyntaxError ? /at position \d+/.exec(error.message)?.[0] : undefined;
    throw new SettingsError('invalid', `${path} is not JSON${position === undefined ? '' : ` (${position})`}.`);
  }
  const { data, error } = schema.safeParse(json);
  if (!error) return data;
  const [issue] = error.issues;
  const place = issue?.path.join('.') ?? '';
  throw new SettingsError('invalid', `${path}: ${place === '' ? 'the value' : place} is invalid (${issue?.code}).`);
}
