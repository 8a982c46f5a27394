import type { Replicas } from '@varve/storage';

/** Records of replicas in memory. */
export function memoryRecords(): Replicas['records'] {
  const stored = new Map<string, { readonly text: string; readonly version: number }>();
  const read = async (name: string) => stored.get(name) ?? { text: undefined, version: 0 };
  return {
    read,
    versionOf: async (name) => (await read(name)).version,
    names: async (from, before) => [...stored.keys()].filter((name) => name >= from && name < before).toSorted(),
    async write(name, text, expectedVersion) {
      const { version } = await read(name);
      if (expectedVersion !== undefined && expectedVersion !== version) return false;
      stored.set(name, { text, version: version + 1 });
      return true;
    },
    exclusively: async (_name, work) => work(),
    async remove(name) {
      stored.delete(name);
    },
  };
}
