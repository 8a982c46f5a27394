import fc from 'fast-check';
import { expect, test } from 'vitest';
import { requestFor } from '../support/running-server.ts';
import { bodyRoutes, sendBody, unreachableServer } from './random-bodies.ts';

test('random bodies never make an operation fail unexpectedly', async () => {
  await using running = await unreachableServer();
  const routes = await bodyRoutes(running);
  expect(routes.length).toBeGreaterThan(20);
  for (const route of routes) {
    const { id } = await running.create(requestFor(running.model, running.workspace));
    await fc.assert(
      fc.asyncProperty(route.body, (body) => sendBody(route, body, running, id)),
      { numRuns: 2 },
    );
  }
});
