import type { Replicas } from '@varve/storage';
import { timestampOf } from '../workspace/bash/bash-event.ts';
import type { BashEventStore } from '../workspace/bash/bash-event-store.ts';
import type { BashListener } from '../workspace/bash/bash-service.ts';
import type { TaskLists } from '../hosting/task-lists.ts';
import { readEvent } from '../workspace/bash/search-bash-events.ts';

/** Options of {@link sharedCommands}. */
export interface SharedCommandsOptions {
  readonly records: Replicas['records'];
  /** Calls a function repeatedly, until the result is disposed. */
  readonly every: (ms: number, tick: () => void) => Disposable;
  /** UTC milliseconds. */
  readonly now: () => number;
}

/** Events of the commands that the replicas of a store run for clients. */
export interface SharedCommands {
  readonly store: BashEventStore;
  readonly lists: TaskLists;
  /** Calls a listener for the later events of all replicas, until the result is disposed. */
  follow(listener: BashListener, onFailure: (error: unknown) => void): Promise<Disposable>;
}

const pollMs = 250;

/** Longest difference between the clocks of two replicas with which no event is missed. */
const skewMs = 60_000;

/** Stores events of commands as records of the replicas. */
export function sharedCommands({ records, every, now }: SharedCommandsOptions): SharedCommands {
  const events = recordsIn('bash_events', records);
  const store: BashEventStore = {
    async add(name, json) {
      await events.write(name, json);
    },
    names: () => events.names(),
    read: async (name) => (await events.read(name)).text,
    async remove(names) {
      for (const name of names) await events.remove(name);
    },
  };
  const recently = (): string => timestampOf((now() - skewMs) * 1000).replaceAll(/\D/g, '');
  return {
    store,
    lists: recordsIn('bash_running', records),
    async follow(listener, onFailure) {
      let from = recently();
      let seen = new Set(await events.names(from));
      let isReading = false;
      const read = async (): Promise<void> => {
        const next = recently();
        const names = await events.names(from);
        for (const name of names) {
          const event = seen.has(name) ? undefined : await readEvent(store, name);
          if (event) listener(event);
        }
        [from, seen] = [next, new Set(names)];
      };
      return every(pollMs, () => {
        if (isReading) return;
        isReading = true;
        void read()
          .catch(onFailure)
          .finally(() => (isReading = false));
      });
    },
  };
}

/** Records of a folder, by their names in it. */
interface FolderRecords extends TaskLists {
  names(from?: string): Promise<readonly string[]>;
}

/** Returns the records of a folder. */
export function recordsIn(folder: string, records: Replicas['records']): FolderRecords {
  const prefix = `${folder}/`;
  // The character after `/` is `0`.
  const end = `${folder}0`;
  return {
    names: async (from = '') => (await records.names(prefix + from, end)).map((name) => name.slice(prefix.length)),
    read: (name) => records.read(prefix + name),
    write: (name, ...change) => records.write(prefix + name, ...change),
    remove: (name) => records.remove(prefix + name),
  };
}
