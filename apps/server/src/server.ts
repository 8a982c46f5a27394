import { listen, type Listening } from './listen.ts';
import { createApp } from './app.ts';
import { closeServices } from './create-services.ts';
import type { ServerOptions } from './server-options.ts';

/** A server that handles requests with or without a socket. */
export interface Server extends AsyncDisposable {
  /** Handles a request without a socket. */
  fetch(request: Request): Promise<Response>;
  /** Handles a request of this process to a path: `request('/alive')`. */
  request(path: string, init?: RequestInit): Promise<Response>;
  /** Listens on a port of the host; 0 picks a free one. @throws {ServerError} `address` if that fails. */
  listen(port: number): Promise<Listening>;
  /** Pauses all runs and ends all commands. A server that listened does this when it stops. Idempotent. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Creates a server of the agent-server protocol for a store.
 *
 * @throws {ServerError} `invalid` for an invalid key or origin.
 */
export function server(options: ServerOptions): Server {
  const { app, services, logger } = createApp(options);
  const { host = '127.0.0.1' } = options;
  return {
    fetch: async (request) => app.fetch(request),
    request: async (path, init) => app.request(path, init),
    async listen(port) {
      const onStop = (signal: AbortSignal): Promise<void> => closeServices(services, signal);
      const listening = await listen({ fetch: app.fetch, host, port, onStop });
      void services.readiness
        .during(services.conversations.recover())
        .catch((err: unknown) => logger.error({ err }, 'failure'));
      return listening;
    },
    [Symbol.asyncDispose]: () => closeServices(services, AbortSignal.abort()),
  };
}
