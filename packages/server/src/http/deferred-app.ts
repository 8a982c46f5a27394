import { createApp, type App } from './app.ts';
import { configuredOptions, requestedStore } from './deferred/configured-options.ts';
import { deferredInitialization, type Initialization } from './deferred/initialization.ts';
import type { InitRequest } from './deferred/init-request.ts';
import { RequestError } from '../error.ts';
import { keyCheck } from './guards/key-check.ts';
import type { ServerOptions } from '../server-options.ts';

/**
 * Refuses requests until one of them configures the server, which then serves with that configuration.
 *
 * @throws {ServerError} `invalid`.
 */
export function createDeferredApp(options: ServerOptions): App {
  const passphrase = options.env?.['OH_SECRET_KEY'];
  const resources = new AsyncDisposableStack();
  let isClosed = false;
  const start = async (request: InitRequest): Promise<void> => {
    await using opened = new AsyncDisposableStack();
    const configured = configuredOptions(options, request);
    const store = await requestedStore(options, request);
    if (store) opened.use(store);
    const next = createApp({ ...configured, ...(store && { store }) }, initialization);
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
  let current: App = createApp(options, initialization);
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
