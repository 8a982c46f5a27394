import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';

/** A server that receives requests. */
interface Target {
  readonly url: string;
}

/** A load balancer as in `examples/deploy`: round robin, and what a replica did not receive goes to the next one. */
export interface Balancer extends AsyncDisposable {
  readonly url: string;
  /** Ends the connections with a replica. */
  disconnect(replica: Target): void;
}

interface Sent {
  readonly incoming: IncomingMessage;
  readonly body: Buffer;
  readonly response: ServerResponse;
}

type Track = <Connection extends Duplex>(connection: Connection, replica: Target) => Connection;

/** Methods that a balancer may repeat. */
const repeatable = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);

/** Starts a balancer for the replicas that are live. */
export type Balance = (live: () => readonly Target[]) => Promise<Balancer>;

/** Sends each request and each socket to the next of the live replicas. */
export async function startBalancer(live: () => readonly Target[]): Promise<Balancer> {
  let next = 0;
  const connections = new Map<Duplex, Target>();
  const track: Track = (connection, replica) => {
    connections.set(connection, replica);
    return connection.on('error', () => {}).on('close', () => connections.delete(connection));
  };
  const targets = (): readonly Target[] => {
    const all = live();
    const first = (next += 1) % Math.max(1, all.length);
    return [...all.slice(first), ...all.slice(0, first)];
  };
  const server = createServer((incoming, response) => {
    void buffer(incoming).then((body) => sendToOne({ incoming, body, response }, targets(), track));
  });
  server.on('upgrade', (incoming, client: Socket, head: Buffer) => {
    const [target] = targets();
    if (!target) return client.destroy();
    const upstream = track(connect(Number(new URL(target.url).port), '127.0.0.1'), target);
    upstream.write(`${headOf(incoming)}\r\n\r\n`);
    upstream.write(head);
    track(client, target).pipe(upstream).pipe(client);
    client.on('close', () => upstream.destroy());
    return upstream.on('close', () => client.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    disconnect(replica) {
      for (const [connection, target] of connections) if (target === replica) connection.destroy();
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      for (const connection of connections.keys()) connection.destroy();
      await closed;
    },
  };
}

function headOf({ method, url, rawHeaders }: IncomingMessage): string {
  const headers = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${rawHeaders[at + 1]}`] : []));
  return [`${method} ${url} HTTP/1.1`, ...headers].join('\r\n');
}

async function sendToOne(sent: Sent, targets: readonly Target[], track: Track): Promise<void> {
  for (const target of targets) if (await isAnswered(sent, target, track)) return;
  refuse(sent.response);
}

/** Resolves to false if the next replica may receive the request. */
async function isAnswered({ incoming, body, response }: Sent, target: Target, track: Track): Promise<boolean> {
  const { method = 'GET', url } = incoming;
  const headers = { ...incoming.headers, 'content-length': String(body.length) };
  for (const name of ['connection', 'transfer-encoding']) Reflect.deleteProperty(headers, name);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const upstream = request(new URL(url ?? '/', target.url), { method, headers, agent: false });
  response.on('close', () => upstream.destroy());
  upstream.on('socket', (socket) => track(socket, target));
  upstream.on('response', (reply) => {
    response.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.on('error', () => response.destroy());
    reply.pipe(response);
    return resolve(true);
  });
  upstream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ECONNREFUSED' || repeatable.has(method)) return resolve(false);
    refuse(response);
    return resolve(true);
  });
  upstream.end(body);
  return promise;
}

function refuse(response: ServerResponse): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(502, { 'content-type': 'application/json', 'retry-after': '1' });
  response.end(JSON.stringify({ detail: 'The replica ended.' }));
}
