import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from './guards/failed-keys.ts';

/** Limits of the connections of a server. */
export interface ConnectionLimits {
  /** Connections at a time. */
  readonly total: number;
  /** Connections of one address that have not sent a key. */
  readonly unknownByAddress: number;
  /** Milliseconds for the headers of a request, from the start of the connection or the end of the request before. */
  readonly headersMs: number;
}

/** Limits of a server: a browser opens about ten connections, and a proxy sends a key on each of its own. */
export const connectionLimits: ConnectionLimits = { total: 1000, unknownByAddress: 100, headersMs: 10_000 };

/** Connections of a server, of which those with a key are kept. */
export interface Connections {
  /** Keeps a connection, which has sent a key, whatever arrives later. */
  trust(socket: Socket): void;
}

/**
 * Limits the connections of a server. At a limit the oldest one that has not sent a key is closed, so that connections
 * without a key keep nobody out; if all have sent one, the new one is closed.
 */
export function limitConnections(
  http: Server,
  { total, unknownByAddress }: Omit<ConnectionLimits, 'headersMs'>,
): Connections {
  const open = new Set<Socket>();
  const unknown = new Map<Socket, string>();
  const close = (socket: Socket): void => {
    open.delete(socket);
    unknown.delete(socket);
    socket.destroy();
  };
  http.on('connection', (socket) => {
    const network = networkOf(socket.remoteAddress ?? '');
    const ofNetwork = [...unknown].filter(([, other]) => other === network).map(([known]) => known);
    const [oldest] = ofNetwork.length >= unknownByAddress ? ofNetwork : open.size >= total ? unknown.keys() : [];
    if (oldest) close(oldest);
    if (open.size >= total) return close(socket);
    open.add(socket);
    unknown.set(socket, network);
    socket.once('close', () => close(socket));
  });
  return { trust: (socket) => void unknown.delete(socket) };
}
