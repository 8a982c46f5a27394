import { join } from 'node:path';
import { readTextFile, removeFile, replaceFile } from '../files/text-file.ts';
import { SettingsError } from '../error.ts';
import type { Cipher } from './fernet.ts';

/** Encrypted texts by id, one file each, which only their owner can read. */
export interface PrivateRecords {
  /** Returns a record; undefined without one. @throws {SettingsError} `invalid` if the key is another one; `io`. */
  read(id: string): Promise<string | undefined>;
  /** Adds or replaces a record. @throws {SettingsError} `invalid` for more than 131,072 characters; `io`. */
  write(id: string, text: string): Promise<void>;
  /** Removes a record; does nothing if it is missing. */
  remove(id: string): Promise<void>;
}

/** Options of {@link privateRecords}. */
export interface PrivateRecordsOptions {
  readonly directory: string;
  /** Returns the cipher of the records, for example the `storageCipher` of a secret store. */
  readonly cipher: () => Promise<Cipher>;
}

/** Longest text: its token must not exceed the largest file that is read, whatever its characters are. */
const maxLength = 128 * 1024;

/** Opens a directory of private records. Ids are letters, digits, `_` and `-`. Nothing is created before a write. */
export function privateRecords({ directory, cipher }: PrivateRecordsOptions): PrivateRecords {
  const pathOf = (id: string): string => {
    if (/^[\w-]{1,64}$/.test(id)) return join(directory, `${id}.token`);
    throw new SettingsError('invalid', `${JSON.stringify(id.slice(0, 100))} is not the id of a record.`);
  };
  return {
    async read(id) {
      const path = pathOf(id);
      const token = await readTextFile(path);
      if (token === undefined) return undefined;
      const text = (await cipher()).decrypt(token.trim());
      const record =
        text === undefined ? undefined : (JSON.parse(text) as { readonly id: string; readonly text: string });
      // A file that was moved to another id is not its record.
      if (record?.id === id) return record.text;
      throw new SettingsError('invalid', `The record ${path} was encrypted with another key.`);
    },
    async write(id, text) {
      if (text.length > maxLength) throw new SettingsError('invalid', `The record ${id} is longer than ${maxLength}.`);
      const token = (await cipher()).encrypt(JSON.stringify({ id, text }));
      await replaceFile(pathOf(id), `${token}\n`, { mode: 0o600 });
    },
    remove: async (id) => removeFile(pathOf(id)),
  };
}
