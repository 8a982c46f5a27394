import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { Duplex, duplexPair, pipeline, Transform } from 'node:stream';
import { portsPath } from './open-ports.ts';
import { guard, type Proxy } from './proxy.ts';

/** Maximum number of open connections of one sandbox; others wait. */
const maxConcurrentStreams = 256;

/** Two named pipes between a sandbox and its proxy. */
export interface Link {
  /** Path of the pipe that the sandbox writes. */
  readonly toProxy: string;
  readonly fromProxy: string;
  close(): void;
}

/**
 * Creates named pipes over which the forwarder of one sandbox sends connections as streams of HTTP/2. Named pipes can
 * be opened by any launcher, also on a pseudo terminal, and the filter of system calls does not stop them.
 */
export function openLink(directory: string, name: string, proxy: Proxy): Link {
  const toProxy = join(directory, `${name}-to`);
  const fromProxy = join(directory, `${name}-from`);
  execFileSync('mkfifo', ['-m', '600', toProxy, fromProxy]);
  // Without a writer the pipe would be at its end before the sandbox opens it.
  const held = openSync(toProxy, constants.O_RDWR | constants.O_NONBLOCK);
  const readable = pipeEnd(openSync(toProxy, constants.O_RDONLY | constants.O_NONBLOCK), true);
  const writable = pipeEnd(openSync(fromProxy, constants.O_RDWR | constants.O_NONBLOCK), false);
  const connection = Duplex.from({ readable, writable });
  let isHeld = true;
  const release = (): void => {
    if (isHeld) closeSync(held);
    isHeld = false;
    for (const path of [toProxy, fromProxy]) rmSync(path, { force: true });
  };
  const close = (): void => {
    release();
    for (const stream of [readable, writable, connection]) stream.destroy();
  };
  readable.once('data', release);
  for (const stream of [readable, writable, connection]) stream.on('error', close);
  readable.once('close', close);
  serveStreams(connection, proxy);
  // A waiting proxy does not keep this process alive.
  readable.unref();
  writable.unref();
  return { toProxy, fromProxy, close };
}

function pipeEnd(fd: number, isReadable: boolean): Socket {
  return new Socket({ fd, readable: isReadable, writable: !isReadable });
}

function serveStreams(connection: Duplex, proxy: Proxy): void {
  // Loaded here: it takes 17 ms of a start, and a sandbox without allowed hosts does not need it.
  const settings = { maxConcurrentStreams };
  const server = process.getBuiltinModule('node:http2').createServer({ settings });
  server.on('stream', (stream, { ':path': path = '/' }) => {
    stream.on('error', () => stream.destroy());
    guard(stream, () => {
      stream.respond({ ':status': 200 });
      if (path === portsPath) return proxy.ports.follow(stream);
      const [served, other] = duplexPair();
      // An HTTP server uses the memory of the head of a response again before a stream has sent it.
      const copy = new Transform({ transform: (chunk: Buffer, _, done) => done(null, Buffer.from(chunk)) });
      pipeline(other, copy, stream, other, () => other.destroy());
      served.once('close', () => served.writableFinished || other.destroy());
      proxy.serve(served, path === '/' ? undefined : Number(path.slice(1)));
    });
  });
  server.on('sessionError', () => connection.destroy());
  server.emit('connection', connection);
}
