import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A proxy between a program and a server, whose connections can fail. */
export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  /** Ends all connections, and refuses new ones until `restore`. */
  cut(): Promise<void>;
  /** Ends what `cut` and `hang` began. */
  restore(): Promise<void>;
  /** Holds back what is sent on all connections, and on new ones, until `restore`. */
  hang(): void;
  /** Forgets all connections without ending them: what is sent on them is lost. New ones work. */
  forget(): void;
  /** Number of forgotten connections on which something was sent. */
  readonly lost: number;
}

/** Starts a proxy for a port of this machine. */
export async function tcpProxy(target: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const forgotten = new Set<() => void>();
  const pairs = new Map<Socket, Socket>();
  let isHung = false;
  let lost = 0;
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    // An end of one side is an end of both.
    return socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  };
  const server = createServer((socket) => {
    const upstream = track(connect(target, '127.0.0.1'));
    pairs.set(track(socket), upstream);
    if (!isHung) socket.pipe(upstream).pipe(socket);
    socket.on('close', () => void (pairs.delete(socket), upstream.destroy()));
    upstream.on('close', () => socket.destroy());
    forgotten.add(() => {
      socket
        .unpipe(upstream)
        .once('data', () => (lost += 1))
        .resume();
      upstream.unpipe(socket).resume();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const cut = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    port,
    cut,
    hang() {
      isHung = true;
      for (const [socket, upstream] of pairs) {
        socket.unpipe(upstream).pause();
        upstream.unpipe(socket).pause();
      }
    },
    restore: async () => {
      if (isHung) for (const [socket, upstream] of pairs) socket.pipe(upstream).pipe(socket);
      isHung = false;
      if (server.listening) return;
      await once(server.listen(port, '127.0.0.1'), 'listening');
    },
    forget() {
      pairs.clear();
      for (const forget of forgotten) forget();
      forgotten.clear();
    },
    get lost() {
      return lost;
    },
    [Symbol.asyncDispose]: cut,
  };
}
