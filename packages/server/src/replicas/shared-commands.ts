import type { Replicas } from '@varve/storage';
import { timestampOf } from '../workspace/bash/bash-event.ts';
import type { BashEventStore } from '../workspace/bash/bash-event-store.ts';
import type { BashListener } from '../workspace/bash/bash-service.ts';
import type { CommandLists } from '../workspace/bash/command-lists.ts';
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
  readonly lists: CommandLists;
  /** Calls a listener for the later events of all replicas, until the result is disposed. */
  follow(listener: BashListener, onFailure: (error: unknown) => void): Promise<Disposable>;
}

const prefix = 'bash_events/';
/** First name after those with the prefix. */
const end = 'bash_events0';

const listPrefix = 'bash_running/';
const listEnd = 'bash_running0';

const pollMs = 250;

/** Longest difference between the clocks of two replicas with which no event is missed. */
const skewMs = 60_000;

/** Stores events of commands as records of the replicas. */
export function sharedCommands({ records, every, now }: SharedCommandsOptions): SharedCommands {
  const namesFrom = async (time: string): Promise<readonly string[]> =>
    (await records.names(`${prefix}${time}`, end)).map((name) => name.slice(prefix.length));
  const remove = async (names: readonly string[]): Promise<void> => {
    for (const name of names) await records.remove(`${prefix}${name}`);
  };
  const store: BashEventStore = {
    async add(name, json) {
      await records.write(`${prefix}${name}`, json);
    },
    names: () => namesFrom(''),
    read: async (name) => (await records.read(`${prefix}${name}`)).text,
    remove,
    async clear() {
      const names = await namesFrom('');
      await remove(names);
      return names.length;
    },
  };
  const recently = (): string => timestampOf((now() - skewMs) * 1000).replaceAll(/\D/g, '');
  return {
    store,
    lists: {
      names: async () => (await records.names(listPrefix, listEnd)).map((name) => name.slice(listPrefix.length)),
      read: (name) => records.read(`${listPrefix}${name}`),
      write: (name, ...change) => records.write(`${listPrefix}${name}`, ...change),
      remove: (name) => records.remove(`${listPrefix}${name}`),
    },
    async follow(listener, onFailure) {
      let from = recently();
      let seen = new Set(await namesFrom(from));
      let isReading = false;
      const read = async (): Promise<void> => {
        const next = recently();
        const names = await namesFrom(from);
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
