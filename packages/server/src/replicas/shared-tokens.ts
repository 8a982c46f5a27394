import type { PrivateRecords } from '@varve/settings/secrets';
import type { Replicas } from '@varve/storage';

/** Stores the encrypted private values of conversations in the store of the replicas. */
export function sharedTokens({ records }: Replicas): PrivateRecords {
  return {
    read: async (id) => (await records.read(nameOf(id))).text,
    async write(id, token) {
      await records.write(nameOf(id), token);
    },
    remove: (id) => records.remove(nameOf(id)),
  };
}

function nameOf(id: string): string {
  return `conversations/${id}`;
}
