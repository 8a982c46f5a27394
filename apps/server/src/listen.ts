import { once } from 'node:events';
import { createServer, type Server as HttpServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { ServerError } from './error.ts';

/** A server at its address. */
export interface Listening extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** `http://127.0.0.1:8000` */
  readonly url: string;
  /** Takes no further request, lets those under way end, and cuts off what has not ended after 10 seconds. Idempotent. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** What answers, and where. */
export interface ListenOptions {
  readonly fetch: (request: Request, connection: object) => Response | Promise<Response>;
  readonly host: string;
  readonly port: number;
}

/** How long requests under way may take when the server stops. */
const graceMs = 10_000;

/** Listens. @throws {ServerError} `address` when the address is taken, or none of this machine. */
export async function listen({ fetch, host, port }: ListenOptions): Promise<Listening> {
  const http = createServer(getRequestListener(fetch, { overrideGlobalObjects: false }));
  closeWhenIdle(http);
  try {
    http.listen(port, host);
    await once(http, 'listening');
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause ? String(cause.code) : 'no reason given';
    throw new ServerError('address', `Port ${port} of ${host} cannot be listened at (${why}).`, { cause });
  }
  const address = http.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  let stopped: Promise<void> | undefined;
  return {
    host,
    port: bound,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    [Symbol.asyncDispose]: () => (stopped ??= stop(http)),
  };
}

/** Without this a connection whose request ends while the server stops would be kept for the next request. */
function closeWhenIdle(http: HttpServer): void {
  http.on('request', (_request, response) => {
    response.once('close', () => {
      if (!http.listening) http.closeIdleConnections();
    });
  });
}

async function stop(http: HttpServer): Promise<void> {
  const closed = once(http, 'close');
  http.close();
  const cut = setTimeout(() => http.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(cut);
}
