import { lookup } from 'node:dns/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { pipeline, type Duplex } from 'node:stream';
import type { AllowedHosts } from '../policy/sandbox-policy.ts';
import { OpenPorts } from './open-ports.ts';
import { matchesHost, ruleFor, usableAddresses } from './host-rules.ts';

/** An `import` of this module reads all its properties, one of which loads the `fetch` of Node: 50 ms. */
const { createServer, request } = process.getBuiltinModule('node:http');

/** Maximum number of hosts that are remembered: programs can name any number. */
const maxHosts = 1000;

/** Names by which a rule denies this machine with all its ports. */
const ownNames = ['127.0.0.1', 'localhost'];

/** Decides about a host that no rule names. */
export type AskHost = (host: string) => Promise<boolean>;

/** HTTP proxy that connects to allowed hosts only. */
export interface Proxy {
  /** Serves a connection of a program: to a service of this machine by its port, else to hosts by HTTP. */
  serve(connection: Duplex, port?: number): void;
  readonly ports: OpenPorts;
  /** Asks for a port of a service of this machine, as for a host, and opens it. */
  openPort(port: number): Promise<boolean>;
  /** Returns the hosts that were refused since the last call. */
  takeRefused(): readonly string[];
  close(): void;
}

/** HTTP proxy of the network, as the variables `HTTPS_PROXY` and `NO_PROXY` name it. */
export interface UpstreamProxy {
  readonly url: URL;
  /** Patterns of hosts that are reached without it. */
  readonly except: readonly string[];
}

/** Options of {@link hostProxy}. */
export interface ProxyOptions {
  readonly rules: AllowedHosts;
  /** Called once for each host. Default: refuses. */
  readonly askHost?: AskHost;
  /** Further proxy through which this machine reaches the network. */
  readonly upstream?: UpstreamProxy;
}

/** Returns a proxy for HTTP, and by CONNECT for everything else. */
export function hostProxy(options: ProxyOptions): Proxy {
  const { rules, upstream } = options;
  const refused = new Set<string>();
  const open = new Set<Duplex>();
  const ports = new OpenPorts(rules.ports);
  const isAllowed = answered(options, refused);
  const dial = dialled(upstream, refused);
  const server = createServer((incoming, response) => {
    guard(incoming.socket, async () => forward(incoming, response, { isAllowed, dial }));
  });
  server.on('connect', (incoming, client: Duplex, head: Buffer) => {
    guard(client, async () => tunnel(incoming, client, head, { isAllowed, dial }));
  });
  server.on('clientError', (_, socket) => socket.destroy());
  return {
    ports,
    serve(connection, port) {
      open.add(connection);
      connection.on('error', () => connection.destroy()).once('close', () => open.delete(connection));
      if (port === undefined) server.emit('connection', connection);
      else if (ports.has(port)) guard(connection, async () => join(await connected('127.0.0.1', port), connection));
      else connection.destroy();
    },
    async openPort(port) {
      const host = `127.0.0.1:${port}`;
      const allowed = !ownNames.some((name) => ruleFor(name, rules) === false) && (await isAllowed(host));
      refused.delete(host);
      if (allowed) ports.add(port);
      return allowed;
    },
    takeRefused() {
      const hosts = [...refused];
      refused.clear();
      return hosts;
    },
    close() {
      for (const connection of open) connection.destroy();
    },
  };
}

/** Returns a function that decides about hosts by the rules and by one question, and adds those that it refuses. */
function answered({ rules, askHost }: ProxyOptions, refused: Set<string>): AskHost {
  const answers = new Map<string, Promise<boolean>>();
  return async (host) => {
    let answer = answers.get(host);
    if (answer === undefined && ruleFor(host, rules) === undefined && askHost && answers.size < maxHosts)
      answers.set(host, (answer = askHost(host).catch(() => false)));
    const allowed = ruleFor(host, rules) ?? (await answer) ?? false;
    if (!allowed && refused.size < maxHosts) refused.add(host);
    return allowed;
  };
}

/** Returns a function that connects to hosts, and refuses those with addresses of this machine. */
function dialled(upstream: UpstreamProxy | undefined, refused: Set<string>): Ways['dial'] {
  return async (host, port) => {
    if (upstream !== undefined && !upstream.except.some((pattern) => matchesHost(host, pattern)))
      return connectThrough(upstream.url, host, port);
    const [usable] = usableAddresses(host, await lookup(host, { all: true }));
    if (usable !== undefined) return connected(usable.address, port);
    refused.add(host);
    throw new Error(`The host ${host} has an address of this machine.`);
  };
}

/**
 * Runs a handler of a connection from inside of a sandbox. An error ends this connection, and never the process: what
 * programs and servers send decides which errors there are.
 */
export function guard(connection: Duplex, handle: () => Promise<void> | void): void {
  void (async () => handle())().catch(() => connection.destroy());
}

interface Ways {
  readonly isAllowed: AskHost;
  readonly dial: (host: string, port: number) => Promise<Socket>;
}

async function tunnel(incoming: IncomingMessage, client: Duplex, head: Buffer, ways: Ways): Promise<void> {
  const target = targetOf(`http://${incoming.url ?? ''}`);
  if (target === undefined) return void client.end('HTTP/1.1 400 Bad Request\r\n\r\n');
  const { hostname, port } = target;
  if (!(await ways.isAllowed(hostname)))
    return void client.end(`HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\n\r\n${refusal(hostname)}`);
  try {
    const server = await ways.dial(hostname, Number(port || 443));
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    server.write(head);
    join(server, client);
  } catch {
    client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  }
}

/** Passes on what each of two connections receives, until one ends. */
function join(server: Socket, client: Duplex): void {
  server.on('error', () => client.destroy()).on('close', () => client.destroy());
  client.on('close', () => server.destroy());
  client.pipe(server).pipe(client);
}

async function forward(incoming: IncomingMessage, response: ServerResponse, ways: Ways): Promise<void> {
  const target = targetOf(incoming.url ?? '');
  if (target === undefined) return void response.writeHead(400).end();
  if (!(await ways.isAllowed(target.hostname)))
    return void response.writeHead(403, { 'content-type': 'text/plain' }).end(refusal(target.hostname));
  try {
    const socket = await ways.dial(target.hostname, Number(target.port || 80));
    const { 'proxy-connection': _, connection: __, ...headers } = incoming.headers;
    // Another name there could reach another host at the same address.
    const own = { ...headers, host: target.host };
    const outgoing = request(target, { method: incoming.method, headers: own, createConnection: () => socket });
    outgoing.on('response', (answer) => {
      guard(incoming.socket, () => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        pipeline(answer, response, (error) => error && response.destroy());
      });
    });
    outgoing.on('error', () => response.destroy()).on('close', () => response.headersSent || response.destroy());
    response.on('close', () => socket.destroy());
    incoming.pipe(outgoing);
  } catch {
    response.writeHead(502).end();
  }
}

function refusal(host: string): string {
  return `The sandbox does not allow the host ${host}.\n`;
}

function targetOf(url: string): URL | undefined {
  const target = URL.parse(url);
  return target?.protocol === 'http:' && /^.{1,255}$/.test(target.hostname) ? target : undefined;
}

async function connected(host: string, port: number): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connect({ host, port, allowHalfOpen: true });
  // Also heard later, when the socket has no user yet or any more.
  socket.on('error', reject);
  socket.once('connect', () => resolve(socket));
  return promise;
}

/** Connects to a host through a further proxy. */
async function connectThrough(upstream: URL, host: string, port: number): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const path = `${host}:${port}`;
  const { hostname, username, password } = upstream;
  const auth = [username, password].map((part) => decodeURIComponent(part)).join(':');
  const credentials = `Basic ${Buffer.from(auth).toString('base64')}`;
  const headers = { host: path, ...(username !== '' && { 'proxy-authorization': credentials }) };
  const outgoing = request({ host: hostname, port: upstream.port || 80, method: 'CONNECT', path, headers });
  outgoing.on('error', reject);
  outgoing.once('connect', ({ statusCode }, socket: Socket) => {
    socket.on('error', reject);
    if (statusCode === 200) return resolve(socket);
    socket.destroy();
    reject(new Error(`The proxy ${hostname} answered ${statusCode}.`));
  });
  outgoing.end();
  return promise;
}
