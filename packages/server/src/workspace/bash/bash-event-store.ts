import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectories } from '@varve/files';
import { ifMissing } from '../../error.ts';
import { parseName } from './bash-event.ts';

/** Stored bash events as JSON, by the names of `nameOf`. */
export interface BashEventStore {
  /** Stores an event under a new name. */
  add(name: string, json: string): Promise<void>;
  /** Returns the names of all events, sorted. */
  names(): Promise<readonly string[]>;
  /** Returns the JSON of an event; undefined if it does not exist. */
  read(name: string): Promise<string | undefined>;
  /** Removes events, those excepted that do not exist. */
  remove(names: readonly string[]): Promise<void>;
}

/**
 * Returns the store of a directory with one file per event, which is created with the first event. Other files in it
 * are ignored. Only the user can read it, because output may contain secrets.
 *
 * @see agent-server 1.43.1, `bash_events_dir`
 */
export function directoryEvents(directory: string): BashEventStore {
  return {
    async names() {
      const files = await readdir(directory).catch(ifMissing([]));
      return files.filter((name) => parseName(name) !== undefined).toSorted();
    },
    async add(name, json) {
      makeDirectories(directory, 0o700);
      // Readers never see half a file.
      const part = join(directory, `.${name}.part`);
      await writeFile(part, json, { mode: 0o600 });
      await rename(part, join(directory, name));
    },
    read: (name) => readFile(join(directory, name), 'utf8').catch(ifMissing(undefined)),
    async remove(names) {
      for (const name of names) await rm(join(directory, name), { force: true });
    },
  };
}

/** Number of events that `memoryEvents` keeps. */
const mostInMemory = 1000;

/** Returns a store that keeps the newest 1,000 events in memory. */
export function memoryEvents(): BashEventStore {
  const events = new Map<string, string>();
  return {
    async add(name, json) {
      events.set(name, json);
      const [oldest] = events.keys();
      if (oldest !== undefined && events.size > mostInMemory) events.delete(oldest);
    },
    names: async () => [...events.keys()].toSorted(),
    read: async (name) => events.get(name),
    async remove(names) {
      for (const name of names) events.delete(name);
    },
  };
}
