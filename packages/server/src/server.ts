import { listen, type Listening } from './http/listen.ts';
import { createApp } from './http/app.ts';
import { createDeferredApp } from './http/deferred-app.ts';
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
  const app = options.deferred ? createDeferredApp(options) : createApp(options);
  const { host = '127.0.0.1' } = options;
  const close = (signal: AbortSignal): Promise<void> => app.close(signal);
  return {
    fetch: async (request) => app.fetch(request),
    request: async (path, init) => app.fetch(requestOf(path, init)),
    async listen(port) {
      const fetch = (request: Request, connection: object) => app.fetch(request, connection);
      const listening = await listen({ fetch, host, port, onStop: close });
      void app.recover();
      return listening;
    },
    [Symbol.asyncDispose]: () => close(AbortSignal.abort()),
  };
}

/** Requests of this process name a host, as those of a socket do. */
function requestOf(path: string, init: RequestInit = {}): Request {
  return new Request(`http://localhost${path}`, init);
}
