import type { EventStore, Replicas } from '@varve/storage';
import type { Wake } from './wake-facts.ts';

/** Place of a wake in the times of all conversations. */
export interface WakeTime extends Pick<Wake, 'id' | 'at'> {
  readonly conversation: string;
}

/**
 * Times of the wakes of all conversations. A time without a wake in its log has no effect, so that it is added before
 * the log has the wake, and removed after it.
 */
export interface WakeTimes {
  add(time: WakeTime): Promise<void>;
  remove(time: WakeTime): Promise<void>;
  /** Returns the times up to one, in UTC milliseconds, the first one first. */
  due(until: number): Promise<readonly WakeTime[]>;
}

/** Latest time of a wake: the last one of a date. */
export const lastTime = 8.64e15;

/** Returns the times of a store: shared by its replicas, otherwise in memory. */
export function wakeTimes({ replicas }: Pick<EventStore, 'replicas'>): WakeTimes {
  return replicas ? sharedTimes(replicas) : ownTimes();
}

function ownTimes(): WakeTimes {
  const times = new Map<string, WakeTime>();
  return {
    add: async (time) => void times.set(nameOf(time), time),
    remove: async (time) => void times.delete(nameOf(time)),
    due: async (until) =>
      [...times.values()].filter(({ at }) => at <= until).toSorted((one, other) => one.at - other.at),
  };
}

function sharedTimes({ records }: Replicas): WakeTimes {
  return {
    add: async (time) => void (await records.write(nameOf(time), '')),
    remove: async (time) => records.remove(nameOf(time)),
    async due(until) {
      const names = await records.names(prefix, nameOf({ at: until + 1, conversation: '', id: '' }));
      return names.map((name) => {
        const [, at, conversation = '', id = ''] = name.split('/');
        return { at: Number(at), conversation, id };
      });
    },
  };
}

const prefix = 'wakes/';

/** Names are sorted by time: it has the same number of digits until the year 5138. */
function nameOf({ at, conversation, id }: WakeTime): string {
  return `${prefix}${String(at).padStart(14, '0')}/${conversation}/${id}`;
}
