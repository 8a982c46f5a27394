import { once } from 'node:events';
import { Server as HttpServer, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { createAdaptorServer, type HttpBindings, type WebSocketServerLike } from '@hono/node-server';
import { WebSocketServer } from 'ws';
import { ServerError } from '../error.ts';
import { connectionLimits, Connections, type ConnectionLimits } from './connection-limits.ts';
import { errorResponse } from './route/handle-failure.ts';
import { closeSocket } from './sockets/close-socket.ts';
import { trustedProxies, type TrustedProxies } from './trusted-proxies.ts';
import { maxMessageBytes } from '../streams/limits.ts';

/** A listening server. */
export interface Listening extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** `http://127.0.0.1:8000` */
  readonly url: string;
  /**
   * Accepts no more requests, waits up to 10 seconds for them and for steps of runs, and then closes all, for at most
   * five more. Idempotent.
   */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Handler and address of a server. */
export interface ListenOptions {
  readonly fetch: (request: Request, connection: object) => Response | Promise<Response>;
  readonly host: string;
  readonly port: number;
  /** Default {@link connectionLimits}. */
  readonly limits?: ConnectionLimits;
  /** Proxies in front of the server. Default: none. */
  readonly proxies?: TrustedProxies;
  /** Returns true for a request that another replica has signed. Default: none is. */
  readonly isOfPeer?: (incoming: IncomingMessage) => boolean;
  /** Hands the work of a replica over while it still accepts requests; the signal aborts when time is over. */
  readonly onHandOver?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** Ends the work of the server; the signal aborts when time is over. */
  readonly onStop: (signal: AbortSignal) => Promise<void>;
}

/** Time for active requests and steps of runs when the server stops. */
const graceMs = 10_000;
/** The part of it in which conversations are still open for active requests. */
const requestsMs = 2_000;
/** Time after it in which the end of what was active is stored: a store that does not answer would be waited for. */
const endMs = 5_000;

/** Connections that the system accepts for the server while it is busy: as many as Linux allows by default. */
const backlog = 4096;

/** Starts to listen. @throws {ServerError} `address` if the address is in use or does not belong to this machine. */
export async function listen({
  fetch,
  host,
  port,
  onStop,
  limits = connectionLimits,
  proxies = trustedProxies([]),
  isOfPeer = () => false,
  onHandOver,
}: ListenOptions): Promise<Listening> {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes });
  const http = httpServer((request, connection) => limited(request, connection), sockets, limits);
  const limited = limitedFetch(fetch, new Connections(http, { limits, proxies, isOfPeer }), proxies);
  closeWhenIdle(http);
  try {
    http.listen({ port, host, backlog });
    await once(http, 'listening');
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown reason';
    const sentence =
      why === 'EADDRINUSE'
        ? `Port ${port} on ${host} is already in use.`
        : `Cannot listen on ${host}:${port} (${why}).`;
    throw new ServerError('address', sentence, { cause });
  }
  const address = http.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  let stopped: Promise<void> | undefined;
  return {
    host,
    port: bound,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    [Symbol.asyncDispose]: () => (stopped ??= stop(http, sockets, { onStop, onHandOver })),
  };
}

/** Returns a handler of the requests for which there is room. */
function limitedFetch(
  fetch: ListenOptions['fetch'],
  connections: Connections,
  proxies: TrustedProxies,
): ListenOptions['fetch'] {
  return (request, connection: Partial<HttpBindings>) => {
    const { incoming, outgoing } = connection;
    if (!incoming) return fetch(request, connection);
    const admission = connections.admit(incoming);
    if (admission !== 'admitted' && outgoing) outgoing.shouldKeepAlive = false;
    if (admission === 'refused')
      return errorResponse(503, 'The server has too many connections.', { 'retry-after': '1' });
    const trust = (): void => connections.trust(incoming.socket);
    // Adapters keep the object, so that it is extended instead of copied.
    return fetch(request, Object.assign(connection, { trust, sender: proxies.senderOf(incoming) }));
  };
}

/** Closes connections whose request ends while the server stops; Node would keep them for the next request. */
function closeWhenIdle(http: HttpServer): void {
  http.on('request', (_request, response) => {
    response.once('close', () => {
      if (!http.listening) http.closeIdleConnections();
    });
  });
}

/** Requests to upgrade to another protocol are answered as if they did not ask: Node leaves them open otherwise. */
function shouldUpgradeCallback({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

function httpServer(
  fetch: ListenOptions['fetch'],
  sockets: WebSocketServer,
  { headersMs }: Pick<ConnectionLimits, 'headersMs'>,
): HttpServer {
  const http = createAdaptorServer({
    fetch,
    overrideGlobalObjects: false,
    // Its options are typed without undefined.
    websocket: { server: sockets as WebSocketServerLike },
    // Late connections are searched for ten times within the limit.
    serverOptions: { shouldUpgradeCallback, headersTimeout: headersMs, connectionsCheckingInterval: headersMs / 10 },
  });
  if (http instanceof HttpServer) return http;
  throw new TypeError('The HTTP server is not one of node:http.');
}

async function stop(
  http: HttpServer,
  sockets: WebSocketServer,
  { onStop, onHandOver }: Pick<ListenOptions, 'onStop' | 'onHandOver'>,
): Promise<void> {
  const closed = once(http, 'close');
  const overdue = new AbortController();
  const cut = setTimeout(() => {
    overdue.abort();
    for (const socket of sockets.clients) socket.terminate();
    http.closeAllConnections();
  }, graceMs);
  const over = Promise.withResolvers<void>();
  const end = setTimeout(over.resolve, graceMs + endMs);
  try {
    await Promise.race([onHandOver?.(overdue.signal), over.promise]);
    http.close();
    for (const socket of sockets.clients) closeSocket(socket, 'stopping', 'The server stops');
    if (onHandOver) await Promise.race([closed, delay(requestsMs)]);
    if (overdue.signal.aborted) http.closeAllConnections();
    await Promise.race([Promise.all([closed, onStop(overdue.signal)]), over.promise]);
  } finally {
    clearTimeout(cut);
    clearTimeout(end);
  }
}
