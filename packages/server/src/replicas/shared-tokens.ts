import type { PrivateRecords } from '@varve/settings/secrets';
import type { Replicas } from '@varve/storage';

/** Stores encrypted texts of conversations, in a folder of the records of the replicas. */
export function sharedTokens({ records }: Replicas, folder: 'conversations' | 'webhooks'): PrivateRecords {
  const nameOf = (id: string): string => `${folder}/${id}`;
  return {
    read: async (id) => (await records.read(nameOf(id))).text,
    async write(id, token) {
      await records.write(nameOf(id), token);
    },
    remove: (id) => records.remove(nameOf(id)),
  };
}
