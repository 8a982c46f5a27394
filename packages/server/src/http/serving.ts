import { createApp } from './app.ts';
import { closeServices } from './create-services.ts';
import { configuredOptions, requestedStore } from './deferred/configured-options.ts';
import { deferredInitialization, initialized, type Initialization } from './deferred/initialization.ts';
import type { InitRequest } from './deferred/init-request.ts';
import { keyCheck } from './guards/key-check.ts';
import { RequestError } from '../error.ts';
import type { ServerOptions } from '../server-options.ts';

/** Handles the requests of a server. */
export interface Serving {
  fetch(request: Request, connection?: object): Response | Promise<Response>;
  /**
   * Continues interrupted runs, unless the server waits for its configuration. Requests need not wait for it: what they
   * use is opened for them. Failures are logged.
   */
  recover(): Promise<void>;
  /** Ends everything that runs; the signal aborts when time is over. Idempotent. */
  close(signal: AbortSignal): Promise<void>;
}

/** Serves with these options. @throws {ServerError} `invalid`. */
export function serveNow(options: ServerOptions, initialization = initialized): Serving {
  const { app, services, logger } = createApp(options, initialization);
  return {
    fetch: (request, connection) => app.fetch(request, connection),
    async recover() {
      try {
        await services.conversations.recover();
      } catch (err) {
        logger.error({ err }, 'failure');
      }
    },
    close: (signal) => closeServices(services, signal),
  };
}

/**
 * Refuses requests until one of them configures the server, which then serves with that configuration.
 *
 * @throws {ServerError} `invalid`.
 */
export function serveDeferred(options: ServerOptions): Serving {
  const passphrase = options.env?.['OH_SECRET_KEY'];
  const resources = new AsyncDisposableStack();
  let isClosed = false;
  const start = async (request: InitRequest): Promise<void> => {
    await using opened = new AsyncDisposableStack();
    const configured = configuredOptions(options, request);
    const store = await requestedStore(options, request);
    if (store) opened.use(store);
    const next = serveNow({ ...configured, ...(store && { store }) }, initialization);
    opened.defer(() => next.close(AbortSignal.abort()));
    if (isClosed) throw new RequestError('stopping', 'The server is stopping.');
    resources.use(opened.move());
    current = next;
    void next.recover();
  };
  const initialization: Initialization = deferredInitialization({
    isKey: keyCheck(passphrase ? [passphrase] : options.keys),
    start,
  });
  let current = serveNow(options, initialization);
  return {
    fetch: (request, connection) => current.fetch(request, connection),
    recover: async () => undefined,
    async close(signal) {
      isClosed = true;
      await current.close(signal);
      await resources.disposeAsync();
    },
  };
}
