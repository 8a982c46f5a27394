import { join } from 'node:path';
import { readTextFile, removeFile, replaceFile } from '../files/text-file.ts';
import { SettingsError } from '../error.ts';
import type { Cipher } from './fernet.ts';

/** Texts by id. */
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
  /** Stores the encrypted texts by id, in place of the directory. */
  readonly tokens?: PrivateRecords | undefined;
  /** Returns the cipher of the records, for example the `storageCipher` of a secret store. */
  readonly cipher: () => Promise<Cipher>;
}

/** Longest text: its token must not exceed the largest file that is read, whatever its characters are. */
const maxLength = 128 * 1024;

/** Opens private records. Ids are letters, digits, `_` and `-`. Nothing is created before a write. */
export function privateRecords({
  directory,
  cipher,
  tokens = files(directory),
}: PrivateRecordsOptions): PrivateRecords {
  return {
    async read(id) {
      checkId(id);
      const token = await tokens.read(id);
      if (token === undefined) return undefined;
      const text = (await cipher()).decrypt(token.trim());
      const record =
        text === undefined ? undefined : (JSON.parse(text) as { readonly id: string; readonly text: string });
      // A record that was moved to another id is not its record.
      if (record?.id === id) return record.text;
      throw new SettingsError('invalid', `The record ${id} of ${directory} was encrypted with another key.`);
    },
    async write(id, text) {
      checkId(id);
      if (text.length > maxLength) throw new SettingsError('invalid', `The record ${id} is longer than ${maxLength}.`);
      await tokens.write(id, (await cipher()).encrypt(JSON.stringify({ id, text })));
    },
    async remove(id) {
      checkId(id);
      await tokens.remove(id);
    },
  };
}

function checkId(id: string): void {
  if (/^[\w-]{1,64}$/.test(id)) return;
  throw new SettingsError('invalid', `${JSON.stringify(id.slice(0, 100))} is not the id of a record.`);
}

/** Stores each text in a file of a directory. */
function files(directory: string): PrivateRecords {
  const pathOf = (id: string): string => join(directory, `${id}.token`);
  return {
    read: (id) => readTextFile(pathOf(id)),
    write: (id, token) => replaceFile(pathOf(id), `${token}\n`, { mode: 0o600 }),
    remove: (id) => removeFile(pathOf(id)),
  };
}
