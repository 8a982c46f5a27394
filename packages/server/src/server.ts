import type { IncomingMessage } from 'node:http';
import { RequestError } from './error.ts';
import { createApp } from './http/app.ts';
import { closeServices, createServices, recoverServices } from './http/create-services.ts';
import { configuredOptions, requestedStore } from './http/deferred/configured-options.ts';
import type { InitRequest } from './http/deferred/init-request.ts';
import { deferredInitialization, initialized, type Initialization } from './http/deferred/initialization.ts';
import { keyCheck, type KeyCheck } from './http/guards/key-check.ts';
import { connectionLimits, type ConnectionLimits } from './http/connection-limits.ts';
import { listen, type Listening } from './http/listen.ts';
import type { Services } from './http/services.ts';
import { trustedProxies } from './http/trusted-proxies.ts';
import { forwardedHeader } from './replicas/peer-signature.ts';
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
 * Creates a server of the agent-server protocol for a store. A deferred one refuses requests until one of them
 * configures it.
 *
 * @throws {ServerError} `invalid` for an invalid key, origin or proxy.
 */
export function server(options: ServerOptions): Server {
  const { host = '127.0.0.1', deferred = false } = options;
  const resources = new AsyncDisposableStack();
  const proxies = trustedProxies(options.trustedProxies ?? []);
  let isClosed = false;
  const initialization = deferred ? deferredInitialization({ isKey: initKeyCheck(options), start }) : initialized;
  let { app, services } = serving(options, initialization);

  async function start(request: InitRequest): Promise<void> {
    await using opened = new AsyncDisposableStack();
    const configured = configuredOptions(options, request);
    const store = opened.use(await requestedStore(options, request)) ?? options.store;
    const next = serving({ ...configured, store }, initialization);
    opened.defer(() => closeServices(next.services, AbortSignal.abort()));
    if (isClosed) throw new RequestError('stopping', 'The server is stopping.');
    resources.use(opened.move());
    ({ app, services } = next);
    void recoverServices(services);
  }

  async function close(signal: AbortSignal): Promise<void> {
    isClosed = true;
    await closeServices(services, signal);
    await resources.disposeAsync();
  }

  return {
    fetch: async (request) => app.fetch(request),
    request: async (path, init) => app.fetch(requestOf(path, init)),
    async listen(port) {
      await services.replica?.check();
      const listening = await listen({
        fetch: (request, connection) => app.fetch(request, connection),
        host,
        port,
        limits: limitsOf(options),
        proxies,
        isOfPeer: (incoming) => isOfPeer(incoming, services),
        onStop: close,
        onHandOver: options.address === undefined ? undefined : (signal) => services.conversations.handOver(signal),
      });
      if (!deferred) void recoverServices(services);
      return listening;
    },
    [Symbol.asyncDispose]: () => close(AbortSignal.abort()),
  };
}

/** Creates services and the handler of their requests. Without requests, nothing of them runs. */
function serving(options: ServerOptions, initialization: Initialization) {
  const services = createServices(options, initialization);
  return { services, app: createApp(services, options) };
}

/** Returns true for a request that another replica has signed. */
function isOfPeer(
  { method = '', url = '', headers }: IncomingMessage,
  { replica }: Pick<Services, 'replica'>,
): boolean {
  return replica?.signature.isSigned({ method, url }, headers[forwardedHeader]) ?? false;
}

function limitsOf({
  maxConnections: total = connectionLimits.total,
  maxConnectionsByAddress: unknownByAddress = connectionLimits.unknownByAddress,
}: ServerOptions): ConnectionLimits {
  return { ...connectionLimits, total, unknownByAddress };
}

/** The request that configures a server needs the passphrase of its secrets, else one of its keys. */
function initKeyCheck({ env = {}, keys }: ServerOptions): KeyCheck {
  const passphrase = env['OH_SECRET_KEY'];
  return keyCheck(passphrase ? [passphrase] : keys);
}

/** Requests of this process name a host, as those of a socket do. */
function requestOf(path: string, init: RequestInit = {}): Request {
  return new Request(`http://localhost${path}`, init);
}
