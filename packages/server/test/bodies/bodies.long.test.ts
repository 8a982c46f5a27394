import fc from 'fast-check';
import { test } from 'vitest';
import { requestFor } from '../support/running-server.ts';
import { bodyRoutes, sendBody, unreachableServer } from './random-bodies.ts';

test('1,000 random bodies per operation never make it fail unexpectedly', async () => {
  await using running = await unreachableServer();
  for (const route of await bodyRoutes(running)) {
    const { id } = await running.create(requestFor(running.model, running.workspace));
    await fc.assert(
      fc.asyncProperty(route.body, (body) => sendBody(route, body, running, id)),
      { numRuns: 1000 },
    );
  }
});
