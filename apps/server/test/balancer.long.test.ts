import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientCases } from '../../../packages/server/test/client/client-cases.ts';
import { freshUrl, problem } from '../../../packages/storage-postgres/test/server.ts';
import { killedReplicas, type KilledReplicas } from './killed-replicas.ts';

const rounds = Array.from({ length: 8 }, (_, n) => n + 1);

describe.skipIf(problem !== undefined)('three replicas of a balancer, one of which is killed every 10 seconds', () => {
  let replicas: KilledReplicas;
  beforeAll(async () => {
    replicas = await killedReplicas(await freshUrl(), 10_000);
  });
  afterAll(() => replicas[Symbol.asyncDispose]());

  describe.for(rounds)('round %i', () => {
    test.for(Object.entries(clientCases))('%s', async ([, use]) => replicas.use(use));
  });

  test('replicas were killed', () => expect(replicas.kills).toBeGreaterThan(3));
});
