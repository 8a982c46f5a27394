import type { PrivateRecords } from '@varve/settings/secrets';

/** Returns private records that end with the process, for a server without a data directory. */
export function memoryRecords(): PrivateRecords {
  const records = new Map<string, string>();
  return {
    read: async (id) => records.get(id),
    async write(id, text) {
      records.set(id, text);
    },
    async remove(id) {
      records.delete(id);
    },
  };
}
