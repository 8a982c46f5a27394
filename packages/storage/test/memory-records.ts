import type { Replicas } from '../src/index.ts';

/** Returns records of a store that several processes share, in memory. */
export function memoryRecords(): Replicas['records'] {
  const texts = new Map<string, string>();
  return {
    names: async (from, before) => [...texts.keys()].filter((name) => name >= from && name < before).toSorted(),
    read: async (name) => ({ text: texts.get(name), version: 0 }),
    versionOf: async () => 0,
    write: async (name, text) => texts.set(name, text).has(name),
    remove: async (name) => void texts.delete(name),
    exclusively: async (_name, work) => work(),
  };
}
