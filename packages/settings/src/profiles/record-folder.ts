import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '@varve/files';
import type * as z from 'zod';
import { profileName } from '../definitions/profile-name.ts';
import { SettingsError } from '../error.ts';
import { fileError } from '../files/file-error.ts';
import { removeFile, replaceFile } from '../files/text-file.ts';
import { readJsonFile } from '../files/update-file.ts';

/** Largest number of profiles of one kind. @see software-agent-sdk agent-server profiles */
const maxRecords = 50;

/** A record by its name. */
export interface NamedRecord<T> {
  readonly name: string;
  readonly record: T;
}

/** A record by its name, or the reason why it cannot be read. */
export type ListedRecord<T> = NamedRecord<T> | { readonly name: string; readonly problem: string };

/** A directory with one JSON file per record. Writing requires the lock of settings. */
export interface RecordFolder<T> {
  /** Lists all records by name; files that cannot be read are listed with the reason. */
  list(): Promise<readonly ListedRecord<T>[]>;
  /** Lists the records that can be read, by name. */
  readable(): Promise<readonly NamedRecord<T>[]>;
  /** @throws {SettingsError} `missing`; `invalid` for a bad name or content. */
  read(name: string): Promise<T>;
  /** Returns a record; undefined if it is missing. */
  find(name: string): Promise<T | undefined>;
  /** Creates or replaces a record. @throws {SettingsError} `invalid` for a bad name, or one record too many. */
  write(name: string, record: T): Promise<void>;
  /**
   * Renames a record. `movePointers` is called while both names exist, so that no pointer names a missing record.
   *
   * @throws {SettingsError} `missing`; `invalid` if the new name exists; `io` with both names if the old one stays.
   */
  rename(from: string, to: string, options: RenameOptions<T>): Promise<void>;
  /** Removes a record; does nothing if it is missing. */
  remove(name: string): Promise<void>;
}

/** Options of `rename`. */
interface RenameOptions<T> {
  /** Returns the record under its new name; the same by default. */
  readonly change?: (record: T) => T;
  readonly movePointers: () => Promise<void>;
}

/** Opens a directory of records; `noun` is their name in messages. */
export function recordFolder<T>(directory: string, schema: () => z.ZodType<T>, noun: string): RecordFolder<T> {
  const pathOf = (name: string): string => {
    if (profileName().safeParse(name).success) return join(directory, `${name}.json`);
    const json = JSON.stringify(name.slice(0, 100));
    throw new SettingsError('invalid', `${json} is no name of a ${noun}: letters, digits, ., _ and -, at most 64.`);
  };
  const find = (name: string): Promise<T | undefined> => readJsonFile(pathOf(name), schema());
  const read = async (name: string): Promise<T> => {
    const record = await find(name);
    if (record === undefined) throw new SettingsError('missing', `There is no ${noun} "${name}".`);
    return record;
  };
  const write = async (name: string, record: T): Promise<void> => {
    const path = pathOf(name);
    const others = (await namesIn(directory)).filter((other) => other !== name);
    if (others.length >= maxRecords) throw new SettingsError('invalid', `There are ${maxRecords} ${noun}s already.`);
    await replaceFile(path, `${JSON.stringify(record, undefined, 2)}\n`);
  };
  const list = async (): Promise<readonly ListedRecord<T>[]> =>
    Promise.all((await namesIn(directory)).map((name) => listed(name, find)));
  return {
    list,
    readable: async () => (await list()).filter((each) => 'record' in each),
    find,
    read,
    write,
    async rename(from, to, { change = (record) => record, movePointers }) {
      const record = await read(from);
      if ((await find(to)) !== undefined) throw new SettingsError('invalid', `There is a ${noun} "${to}" already.`);
      await write(to, change(record));
      await movePointers();
      await removeFile(pathOf(from)).catch((cause: unknown) => {
        if (!(cause instanceof SettingsError)) throw cause;
        const message = `The ${noun} "${to}" replaces "${from}", which could not be removed: ${cause.message}`;
        throw new SettingsError(cause.code, message, { cause });
      });
    },
    remove: async (name) => removeFile(pathOf(name)),
  };
}

async function namesIn(directory: string): Promise<readonly string[]> {
  const files = await readdir(directory).catch((error: unknown) => {
    if (errnoOf(error) !== 'ENOENT') throw fileError(error, directory);
    return [];
  });
  const names = files.filter((file) => file.endsWith('.json')).map((file) => file.slice(0, -'.json'.length));
  return names.filter((name) => profileName().safeParse(name).success).toSorted();
}

async function listed<T>(name: string, find: (name: string) => Promise<T | undefined>): Promise<ListedRecord<T>> {
  try {
    const record = await find(name);
    return record === undefined ? { name, problem: `"${name}" was removed.` } : { name, record };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return { name, problem: error.message };
  }
}
