import type { SnapshotCache } from '../contract/snapshots.ts';
import { checkBound } from './checks.ts';
import { jsonText } from './json.ts';

/** Saved states of one log: JSON by seq by name. */
export type MemorySnapshots = Map<string, Map<number, string>>;

/** Number of the newest snapshots of a name that a store keeps. */
export const keptPerName = 2;

/** Creates a snapshot cache in memory, for a store that does not persist folds. `check` throws if the log is closed. */
export function memorySnapshots(check: () => void, saved: MemorySnapshots = new Map()): SnapshotCache {
  return {
    async latest(name, upTo = Infinity) {
      check();
      const states = saved.get(name) ?? new Map<number, string>();
      const seq = Math.max(...[...states.keys()].filter((other) => other <= upTo));
      const state = states.get(seq);
      return state === undefined ? undefined : { seq, state: JSON.parse(state) };
    },
    async save(name, { seq, state }) {
      const states = saved.get(name) ?? new Map<number, string>();
      try {
        checkBound('seq of a snapshot', seq);
        states.set(seq, jsonText('snapshot', state));
      } catch {
        return; // A cache may leave out what it cannot save.
      }
      saved.set(name, states);
      const oldest = [...states.keys()].toSorted((a, b) => b - a).slice(keptPerName);
      for (const old of oldest) states.delete(old);
    },
  };
}
