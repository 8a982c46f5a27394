import { memoryStore, type Replicas } from '@varve/storage';
import { expect, test } from 'vitest';
import { memoryRecords } from '../../test/support/memory-records.ts';
import { server } from '../server.ts';

const none = async () => undefined;
const replicas: Replicas = {
  announce: () => undefined,
  addressOf: none,
  abandon: none,
  abandonRunning: none,
  abandoned: async () => [],
  release: none,
  records: memoryRecords(),
};

test.for([
  ['http://127.0.0.1:6000', 'The address http://127.0.0.1:6000 of a replica has a port that HTTP clients refuse.'],
  ['127.0.0.1:8000', 'The address "127.0.0.1:8000" of a replica is not http://HOST:PORT.'],
] as const)('a replica is not started with the address %s', async ([address, message]) => {
  const store = Object.assign(memoryStore(), { replicas });
  const started = async () => server({ store, address, keys: ['key'], env: { OH_SECRET_KEY: 's' } }).listen(0);
  await expect(started()).rejects.toMatchObject({ name: 'ServerError', code: 'invalid', message });
});
