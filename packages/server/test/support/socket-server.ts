import { Hono } from 'hono';
import type { EventStore } from '@varve/storage';
import { createServices } from '../../src/http/create-services.ts';
import { failedKeys } from '../../src/http/guards/failed-keys.ts';
import { authentication } from '../../src/http/guards/authentication.ts';
import { handleFailure } from '../../src/http/route/handle-failure.ts';
import { listen, type Listening } from '../../src/http/listen.ts';
import type { ServerEnv } from '../../src/http/route/route.ts';
import type { Services } from '../../src/http/services.ts';
import { addSockets } from '../../src/http/sockets/add-sockets.ts';
import { socketLimits, type SocketLimits } from '../../src/streams/limits.ts';
import { testKey } from './requests.ts';

/** Creates the services of a test. */
export function testServices(store: EventStore): Services {
  return createServices({ store, keys: [testKey], every: () => ({ [Symbol.dispose]: () => undefined }) });
}

/** Listens with the sockets alone, and with other limits than those of a server. */
export function listenForSockets(services: Services, limits: Partial<SocketLimits> = {}): Promise<Listening> {
  const app = new Hono<ServerEnv>();
  addSockets(app, {
    services,
    authenticate: authentication({ keys: [testKey] }, services.logger),
    failed: failedKeys({ now: Date.now }),
    count: () => 0,
    limits: { ...socketLimits, ...limits },
  });
  app.onError(handleFailure(services.logger, String));
  return listen({ fetch: app.fetch, host: '127.0.0.1', port: 0, onStop: async () => services.streams.stop() });
}
