import { once } from 'node:events';
import { WebSocket, type ClientOptions } from 'ws';

/** End of a socket. */
export interface SocketEnd {
  readonly code: number;
  readonly reason: string;
}

/** Client of a socket, which keeps what it received. */
export interface SocketClient extends AsyncDisposable {
  readonly socket: WebSocket;
  /** Texts in the order of their arrival. */
  readonly texts: readonly string[];
  /** Resolves with the texts when there are `count`, or rejects when the socket closed before. */
  received(count: number): Promise<readonly string[]>;
  /** Resolves with the first text that contains another one. */
  find(part: string): Promise<string>;
  send(value: unknown): void;
  readonly ended: Promise<SocketEnd>;
}

/** Connects to a socket of a listening server. @throws if the handshake is rejected. */
export async function connectSocket(url: string, options: ClientOptions = {}): Promise<SocketClient> {
  const client = socketClient(new WebSocket(url.replace('http:', 'ws:'), options));
  await once(client.socket, 'open');
  return client;
}

/** Resolves with the status of a rejected handshake. @throws if it is accepted. */
export async function rejectedStatus(url: string, options: ClientOptions = {}): Promise<number> {
  const socket = new WebSocket(url.replace('http:', 'ws:'), options);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  socket.once('unexpected-response', (_request, { statusCode = 0 }) => resolve(statusCode));
  socket.once('open', () => reject(new Error('The handshake was accepted.')));
  socket.on('error', reject);
  try {
    return await promise;
  } finally {
    socket.terminate();
  }
}

function socketClient(socket: WebSocket): SocketClient {
  const texts: string[] = [];
  const waiting = new Set<() => void>();
  const check = (): void => {
    for (const resume of Array.from(waiting)) resume();
  };
  const { promise: ended, resolve: end } = Promise.withResolvers<SocketEnd>();
  socket.on('message', (data: Buffer) => {
    texts.push(data.toString('utf8'));
    check();
  });
  socket.once('close', (code, reason) => {
    end({ code, reason: reason.toString('utf8') });
    check();
  });
  const until = async <Value>(find: () => Value | undefined): Promise<Value> => {
    const { promise, resolve, reject } = Promise.withResolvers<Value>();
    const look = (): void => {
      const value = find();
      if (value !== undefined) resolve(value);
      else if (socket.readyState === WebSocket.CLOSED) reject(new Error(`The socket closed after ${texts.join('\n')}`));
    };
    waiting.add(look);
    look();
    return promise.finally(() => waiting.delete(look));
  };
  return {
    socket,
    texts,
    ended,
    received: (count) => until(() => (texts.length >= count ? texts : undefined)),
    find: (part) => until(() => texts.find((text) => text.includes(part))),
    send: (value) => socket.send(typeof value === 'string' ? value : JSON.stringify(value)),
    async [Symbol.asyncDispose]() {
      socket.terminate();
      await ended;
    },
  };
}
