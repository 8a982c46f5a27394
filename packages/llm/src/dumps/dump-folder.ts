import { randomBytes } from 'node:crypto';
import { mkdir, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sanitizeDump } from './sanitize-dump.ts';

/** Where dumps lie, and what must not be in them. */
export interface DumpFolderOptions {
  /** Created with the first dump. */
  readonly path: string;
  /** Masked wherever they occur, beside everything that looks like a key. */
  readonly secrets?: readonly string[];
  /** How many files this value leaves behind; the oldest of its own goes first. 1,000 when absent. */
  readonly maxFiles?: number;
  /** Told once, when a dump could not be written. Must not throw. */
  readonly onProblem?: (problem: string) => void;
  /** UTC milliseconds. */
  readonly now?: () => number;
}

/** A place for dumps. Nothing that goes wrong in it reaches a call. */
export interface DumpFolder {
  /**
   * Writes a file of its own, named by what it holds, the model and the time. Returns at once. `secrets` are masked in it
   * beside those of the folder.
   */
  dump(kind: string, model: string, value: Readonly<Record<string, unknown>>, secrets?: readonly string[]): void;
  /** Writes a file unless this value has written it before. Returns at once. */
  dumpOnce(name: string, value: Readonly<Record<string, unknown>>): void;
  /** Resolves when everything dumped so far is on the disk, or has failed. */
  flush(): Promise<void>;
}

/** Dumps in a folder, as JSON that only its owner may read. */
export function dumpFolder({ path, secrets = [], ...options }: DumpFolderOptions): DumpFolder {
  const { maxFiles = 1000, onProblem, now = Date.now } = options;
  const files: string[] = [];
  let pending: Promise<unknown> = Promise.resolve();
  let hasFailed = false;

  const write = async (name: string, value: Readonly<Record<string, unknown>>): Promise<void> => {
    await mkdir(path, { recursive: true, mode: 0o700 });
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
        if (!hasFailed) onProblem?.(`Nothing could be dumped into ${path}: ${String(error)}`);
        hasFailed = true;
      });
  };
  return {
    dump: (kind, model, value, own = []) => enqueue(fileName(kind, model, now()), value, [...secrets, ...own]),
    dumpOnce(name, value) {
      const file = `${name}.json`;
      if (!files.includes(file)) enqueue(file, value);
    },
    async flush() {
      await pending;
    },
  };
}

/** As the reference names its logs of completions, with the kind at the end. */
function fileName(kind: string, model: string, time: number): string {
  const safe = model
    .replaceAll('/', '__')
    .replaceAll(/[^\w.@:-]/g, '_')
    .replaceAll(':', '_')
    .slice(0, 100);
  return `${safe}-${(time / 1000).toFixed(3)}-${randomBytes(2).toString('hex')}-${kind}.json`;
}
