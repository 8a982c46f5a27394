import { Hono } from 'hono';
import type { EventStore } from '@varve/storage';
import { createServices } from '../create-services.ts';
import { failedKeys } from '../guards/failed-keys.ts';
import { keyCheck } from '../guards/require-key.ts';
import { handleFailure } from '../handle-failure.ts';
import { listen, type Listening } from '../listen.ts';
import { loggerFor } from '../request-log.ts';
import type { ServerEnv } from '../server-env.ts';
import type { Services } from '../services.ts';
import { addSockets } from '../sockets/add-sockets.ts';
import { socketLimits, type SocketLimits } from '../sockets/limits.ts';
import { testKey } from './requests.ts';

/** Creates the services of a test. */
export function testServices(store: EventStore): Services {
  return createServices(
    { store, keys: [testKey], every: () => ({ [Symbol.dispose]: () => undefined }) },
    loggerFor(undefined, String),
  );
}

/** Listens with the sockets alone, and with other limits than those of a server. */
export function listenForSockets(services: Services, limits: Partial<SocketLimits> = {}): Promise<Listening> {
  const app = new Hono<ServerEnv>();
  const logger = loggerFor(undefined, String);
  addSockets(app, {
    services,
    isKey: keyCheck([testKey]),
    failed: failedKeys({ now: Date.now }),
    logger,
    limits: { ...socketLimits, ...limits },
  });
  app.onError(handleFailure(logger, String));
  return listen({ fetch: app.fetch, host: '127.0.0.1', port: 0, onStop: async () => services.streams.stop() });
}
