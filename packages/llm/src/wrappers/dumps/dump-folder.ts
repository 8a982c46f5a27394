import { randomBytes } from 'node:crypto';
import { unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectories } from '@varve/files';
import { sanitizeDump } from './sanitize-dump.ts';

/** Options of {@link dumpFolder}. */
export interface DumpFolderOptions {
  /** Created with the first dump. */
  readonly path: string;
  /** Masked wherever they occur, as is everything that looks like a key. */
  readonly secrets?: readonly string[];
  /** Maximum number of files written by this folder object; the oldest is deleted first. 1,000 by default. */
  readonly maxFiles?: number;
  /** Called once, when a dump could not be written. Must not throw. */
  readonly onProblem?: (problem: string) => void;
  /** UTC milliseconds. */
  readonly now?: () => number;
}

/** A folder of dumps. Its failures do not affect calls. */
export interface DumpFolder {
  /**
   * Writes a new file, named after its kind, the model and the time. Returns immediately. `secrets` are masked in it in
   * addition to those of the folder.
   */
  dump(kind: string, model: string, value: Readonly<Record<string, unknown>>, secrets?: readonly string[]): void;
  /** Writes a file unless this folder object has already written it. Returns immediately. */
  dumpOnce(name: string, value: Readonly<Record<string, unknown>>): void;
  /** Resolves when all dumps so far are written or have failed. */
  flush(): Promise<void>;
}

/** Creates a folder of dumps: JSON files that only their owner may read. */
export function dumpFolder({ path, secrets = [], ...options }: DumpFolderOptions): DumpFolder {
  const { maxFiles = 1000, onProblem, now = Date.now } = options;
  const files: string[] = [];
  let pending: Promise<unknown> = Promise.resolve();
  let hasFailed = false;

  const write = async (name: string, value: Readonly<Record<string, unknown>>): Promise<void> => {
    makeDirectories(path, 0o700);
    await writeFile(join(path, name), `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
    const oldest = files.length > maxFiles ? files.shift() : undefined;
    if (oldest !== undefined) await unlink(join(path, oldest));
  };
  const enqueue = (name: string, value: Readonly<Record<string, unknown>>, hidden = secrets): void => {
    files.push(name);
    const safe = sanitizeDump({ version: 1, at: new Date(now()).toISOString(), ...value }, hidden);
    pending = pending
      .then(() => write(name, safe as Readonly<Record<string, unknown>>))
      .catch((error: unknown) => {
        if (!hasFailed) onProblem?.(`The dump could not be written to ${path}: ${String(error)}`);
        hasFailed = true;
      });
  };
  return {
    dump: (kind, model, value, dumpSecrets = []) =>
      enqueue(fileName(kind, model, now()), value, [...secrets, ...dumpSecrets]),
    dumpOnce(name, value) {
      const file = `${name}.json`;
      if (!files.includes(file)) enqueue(file, value);
    },
    async flush() {
      await pending;
    },
  };
}

/** Returns a name like those of the reference's completion logs, with the kind at the end. */
function fileName(kind: string, model: string, time: number): string {
  const safe = model
    .replaceAll('/', '__')
    .replaceAll(/[^\w.@:-]/g, '_')
    .replaceAll(':', '_')
    .slice(0, 100);
  return `${safe}-${(time / 1000).toFixed(3)}-${randomBytes(2).toString('hex')}-${kind}.json`;
}
