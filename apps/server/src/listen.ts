import { once } from 'node:events';
import { createServer, type Server as HttpServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { ServerError } from './error.ts';

/** A listening server. */
export interface Listening extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** `http://127.0.0.1:8000` */
  readonly url: string;
  /** Accepts no more requests, waits up to 10 seconds for them and for steps of runs, then closes all. Idempotent. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Handler and address of a server. */
export interface ListenOptions {
  readonly fetch: (request: Request, connection: object) => Response | Promise<Response>;
  readonly host: string;
  readonly port: number;
  /** Ends the work of the server; the signal aborts when time is over. */
  readonly onStop: (signal: AbortSignal) => Promise<void>;
}

/** Time for active requests when the server stops. */
const graceMs = 10_000;

/** Starts to listen. @throws {ServerError} `address` if the address is in use or does not belong to this machine. */
export async function listen({ fetch, host, port, onStop }: ListenOptions): Promise<Listening> {
  const http = createServer(getRequestListener(fetch, { overrideGlobalObjects: false }));
  closeWhenIdle(http);
  try {
    http.listen(port, host);
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
    [Symbol.asyncDispose]: () => (stopped ??= stop(http, onStop)),
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

async function stop(http: HttpServer, onStop: ListenOptions['onStop']): Promise<void> {
  const closed = once(http, 'close');
  const overdue = new AbortController();
  http.close();
  const cut = setTimeout(() => {
    overdue.abort();
    http.closeAllConnections();
  }, graceMs);
  try {
    await Promise.all([closed, onStop(overdue.signal)]);
  } finally {
    clearTimeout(cut);
  }
}
