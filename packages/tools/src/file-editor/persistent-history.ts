import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { makeDirectories, writeAtomically } from '@varve/files';
import * as z from 'zod';
import { lazy } from '@varve/events';
import { type Edit, EditHistory } from './edit-history.ts';
import { digestOf } from '../files/text-file.ts';

const indexName = 'edits.json';
const bytesName = /^[0-9a-f]{64}\.before$/;
const index = lazy(() =>
  z.array(z.object({ path: z.string(), after: z.string(), before: z.nullable(z.string().regex(bytesName)) })),
);

/**
 * Undo history stored in a directory, so that a later process can continue it. It is written after the edit itself:
 * after a crash in between, or a failed write, the file differs from the history and an undo is refused. Stored
 * contents are named after their digest, so that incomplete or changed ones are detected. Calls must not overlap.
 */
export class PersistentHistory {
  readonly #directory: string | undefined;
  readonly #edits = new EditHistory();
  /** Names of the files with the contents before each edit. */
  readonly #names = new Map<Edit, string>();
  #loaded: Promise<void> | undefined;

  /** Without a directory the history is in memory only. */
  constructor(directory: string | undefined) {
    this.#directory = directory;
  }

  async push(path: string, edit: Edit): Promise<void> {
    await this.#ready();
    this.#edits.push(path, edit);
    await this.#save();
  }

  /** Returns the newest edit of a file. */
  async last(path: string): Promise<Edit | undefined> {
    await this.#ready();
    return this.#edits.last(path);
  }

  /** Removes the newest edit of a file. */
  async pop(path: string): Promise<void> {
    await this.#ready();
    this.#edits.pop(path);
    await this.#save();
  }

  #ready(): Promise<void> {
    this.#loaded ??= this.#directory === undefined ? Promise.resolve() : this.#load(this.#directory);
    return this.#loaded;
  }

  /** Loads the stored history; starts with an empty one if any part of it cannot be read. */
  async #load(directory: string): Promise<void> {
    try {
      const entries = index().parse(JSON.parse(await readFile(join(directory, indexName), 'utf8')));
      const edits = await Promise.all(
        entries.map(async ({ path, after, before: name }) => {
          const edit: Edit = { after, before: name === null ? undefined : await readVerified(join(directory, name)) };
          return { path, edit, name };
        }),
      );
      for (const { path, edit, name } of edits) {
        this.#edits.push(path, edit);
        if (name !== null) this.#names.set(edit, name);
      }
    } catch {
      // Nothing was edited yet, or the directory was changed by another program.
    }
  }

  async #save(): Promise<void> {
    if (this.#directory === undefined) return;
    try {
      await this.#write(this.#directory);
    } catch {
      // The edit itself succeeded, and can be undone by this process.
    }
  }

  async #write(directory: string): Promise<void> {
    makeDirectories(directory, 0o700);
    const { all } = this.#edits;
    for (const { edit } of all) {
      if (edit.before === undefined || this.#names.has(edit)) continue;
      const name = nameOf(edit.before);
      await writeFile(join(directory, name), edit.before, { mode: 0o600 });
      this.#names.set(edit, name);
    }
    const entries = all.map(({ path, edit }) => ({ path, after: edit.after, before: this.#names.get(edit) ?? null }));
    await writeAtomically(join(directory, indexName), JSON.stringify(entries), { mode: 0o600 });
    const kept = new Set<string>(entries.flatMap(({ before }) => before ?? []));
    for (const [edit, name] of this.#names) if (!kept.has(name)) this.#names.delete(edit);
    const gone = (await readdir(directory)).filter((name) => bytesName.test(name) && !kept.has(name));
    await Promise.all(gone.map((name) => rm(join(directory, name), { force: true })));
  }
}

function nameOf(bytes: Buffer): string {
  return `${digestOf(bytes)}.before`;
}

async function readVerified(path: string): Promise<Buffer> {
  const bytes = await readFile(path);
  if (nameOf(bytes) !== basename(path)) throw new Error(`The content of ${path} does not match its name.`);
  return bytes;
}
