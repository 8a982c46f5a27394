import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from './guards/failed-keys.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/** Limits of the connections of a server. */
export interface ConnectionLimits {
  /** Connections at a time. */
  readonly total: number;
  /** Further ones, for probes, measurements and requests that other replicas forward. */
  readonly reserve: number;
  /** Connections of one address that have not sent a key. */
  readonly unknownByAddress: number;
  /** Milliseconds for the headers of a request, from the start of the connection or the end of the request before. */
  readonly headersMs: number;
}

/** Limits of a server: a browser opens about ten connections, and a proxy sends a key on each of its own. */
export const connectionLimits: ConnectionLimits = {
  total: 1000,
  reserve: 100,
  unknownByAddress: 100,
  headersMs: 10_000,
};

/** How a request of a connection is answered: `once` closes it afterwards, `refused` has no room for it. */
export type Admission = 'admitted' | 'once' | 'refused';

/** What the reserve is for: orchestrators end a process that does not answer. */
const reservedPaths = /^\/(?:alive|health|ready|metrics)\/?(?:\?|$)/;

/** Connections that have not sent a key, the oldest first, with their networks; undefined for one of a proxy. */
class UnknownConnections extends Map<Socket, string | undefined> {
  readonly #byNetwork = new Map<string, Set<Socket>>();

  override set(socket: Socket, network: string | undefined): this {
    if (network !== undefined) this.#byNetwork.set(network, (this.#byNetwork.get(network) ?? new Set()).add(socket));
    return super.set(socket, network);
  }

  override delete(socket: Socket): boolean {
    const network = this.get(socket) ?? '';
    const others = this.#byNetwork.get(network);
    others?.delete(socket);
    if (others?.size === 0) this.#byNetwork.delete(network);
    return super.delete(socket);
  }

  /** Returns those of a network, the oldest first. */
  of(network: string): ReadonlySet<Socket> {
    return this.#byNetwork.get(network) ?? new Set();
  }
}

/** Options of {@link Connections}. */
export interface ConnectionsOptions {
  readonly limits: Omit<ConnectionLimits, 'headersMs'>;
  readonly proxies: TrustedProxies;
  /** Returns true for a request that another replica has signed. */
  readonly isOfPeer: (incoming: IncomingMessage) => boolean;
}

/**
 * Limits the connections of a server. At a limit the oldest one that has not sent a key is closed, so that connections
 * without a key keep nobody out. If all have sent one, a new one is refused unless the reserve is for its request.
 */
export class Connections {
  readonly #limits: Omit<ConnectionLimits, 'headersMs'>;
  readonly #proxies: TrustedProxies;
  readonly #isOfPeer: (incoming: IncomingMessage) => boolean;
  readonly #open = new Set<Socket>();
  readonly #reserved = new Set<Socket>();
  readonly #unknown = new UnknownConnections();

  constructor(http: Server, { limits, proxies, isOfPeer }: ConnectionsOptions) {
    this.#limits = limits;
    this.#proxies = proxies;
    this.#isOfPeer = isOfPeer;
    http.on('connection', (socket) => this.#add(socket));
  }

  /** Keeps a connection, which has sent a key, whatever arrives later. */
  trust(socket: Socket): void {
    this.#unknown.delete(socket);
  }

  admit(incoming: IncomingMessage): Admission {
    const { socket, url = '' } = incoming;
    const isOfProxy = this.#unknown.has(socket) && this.#unknown.get(socket) === undefined;
    if (isOfProxy) this.#count(socket, this.#proxies.senderOf(incoming));
    if (!this.#reserved.has(socket)) return 'admitted';
    if (reservedPaths.test(url) || this.#isOfPeer(incoming)) return 'once';
    const oldest = this.#unknown.keys().find((each) => !this.#reserved.has(each));
    if (this.#isFull && oldest) this.#close(oldest);
    if (this.#isFull) return 'refused';
    this.#reserved.delete(socket);
    return 'admitted';
  }

  get #isFull(): boolean {
    return this.#open.size - this.#reserved.size >= this.#limits.total;
  }

  #add(socket: Socket): void {
    socket.once('close', () => this.#close(socket));
    // The address of a client of a proxy is in its first request.
    if (this.#proxies.has(socket.remoteAddress)) this.#unknown.set(socket, undefined);
    else this.#count(socket, socket.remoteAddress);
    const { total, reserve } = this.#limits;
    const [oldest = socket] = this.#unknown.keys();
    if (this.#open.size >= total + reserve) this.#close(oldest);
    if (socket.destroyed) return;
    if (this.#isFull) this.#reserved.add(socket);
    this.#open.add(socket);
  }

  /** Counts a connection as one of an address, of which the oldest one is closed if there are too many. */
  #count(socket: Socket, address = ''): void {
    const network = networkOf(address);
    const others = this.#unknown.of(network);
    const [oldest] = others;
    if (oldest && others.size >= this.#limits.unknownByAddress) this.#close(oldest);
    this.#unknown.set(socket, network);
  }

  #close(socket: Socket): void {
    for (const each of [this.#unknown, this.#open, this.#reserved]) each.delete(socket);
    socket.destroy();
  }
}
