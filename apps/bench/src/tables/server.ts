import { once } from 'node:events';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { WebSocket, WebSocketServer } from 'ws';
import { eventCodec } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import { eventFactory, logEntriesOf } from '@varve/events/testing';
import { memoryStore, type EventLog } from '@varve/storage';
import { server as varveServer } from '@varve/server';
import { median, type Bench } from '../table.ts';

const key = 'key-of-the-bench';
const headers = { 'X-Session-API-Key': key };
const requests = 300;
const events = 400;
const rounds = 5;
/** Clients of one conversation that a server accepts. */
const most = 50;

const codec = eventCodec(builtinKinds);
const { user } = eventFactory();

type Row = readonly string[];

/** The server compared with a bare hono route of the same bytes, and with a bare socket server of the same texts. */
export const server: Bench = async () => {
  const store = memoryStore();
  const logs = [await store.create(idOf(1), {}), await store.create(idOf(2), {})];
  for (const log of logs) await log.append(entries(100));
  await using listening = await varveServer({ store, keys: [key] }).listen(0);
  const search = `/api/conversations/${idOf(1)}/events/search?limit=100`;
  const info = `/api/conversations/${idOf(1)}`;
  return {
    title: 'Server',
    about: `Memory store, clients in the same process; medians of ${rounds} rounds. Events of 0.3 kB, one append each.`,
    header: ['', 'bare', 'varve', 'unit', 'ratio'],
    rows: [
      await requestRow('search of 100 events', listening.url, search),
      await requestRow('one conversation', listening.url, info),
      await eventRow(1, listening.url, logs),
      await eventRow(10, listening.url, logs),
      await eventRow(100, listening.url, logs),
    ],
  };
};

function idOf(number: number): string {
  return number.toString(16).padStart(32, '0');
}

function entries(count: number) {
  return logEntriesOf(
    codec,
    Array.from({ length: count }, () => user('A message of a user, as long as such messages often are.')),
  );
}

async function requestRow(name: string, url: string, path: string): Promise<Row> {
  const answer = await (await fetch(url + path, { headers })).text();
  const app = new Hono();
  app.get('/*', (context) => context.body(answer, 200, { 'content-type': 'application/json' }));
  const bare = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1', overrideGlobalObjects: false });
  await once(bare, 'listening');
  const address = bare.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const rates: Record<'bare' | 'varve', number[]> = { bare: [], varve: [] };
  for (let round = 0; round < rounds; round += 1) {
    rates.bare.push(await requestRate(`http://127.0.0.1:${port}${path}`));
    rates.varve.push(await requestRate(url + path));
  }
  bare.close();
  return row(name, median(rates.bare), median(rates.varve), 'requests/s');
}

/** Requests per second, eight at a time. */
async function requestRate(url: string): Promise<number> {
  const began = performance.now();
  const lane = async (): Promise<void> => {
    for (let count = 0; count < requests / 8; count += 1) await (await fetch(url, { headers })).text();
  };
  await Promise.all(Array.from({ length: 8 }, lane));
  return (requests * 1000) / (performance.now() - began);
}

/** Events that all clients together receive per second. */
async function eventRow(count: number, url: string, logs: readonly EventLog[]): Promise<Row> {
  const sockets = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(sockets, 'listening');
  const address = sockets.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const bare = await connected(count, () => `ws://127.0.0.1:${port}`);
  const used = logs.slice(0, Math.ceil(count / most));
  const varve = await connected(
    count,
    (index) => `${url.replace('http', 'ws')}/sockets/events/${idOf(1 + (index % used.length))}?session_api_key=${key}`,
  );
  await varve.received(1);
  const rates: Record<'bare' | 'varve', number[]> = { bare: [], varve: [] };
  for (let round = 0; round < rounds; round += 1) {
    rates.bare.push(await eventRate(count, bare, () => sendBare(sockets)));
    rates.varve.push(await eventRate(count, varve, () => appendEach(used)));
  }
  bare.close();
  varve.close();
  sockets.close();
  return row(`events to ${count} clients`, median(rates.bare), median(rates.varve), 'events/s');
}

async function sendBare(sockets: WebSocketServer): Promise<void> {
  for (const { text } of entries(events)) {
    for (const socket of sockets.clients) socket.send(text);
    // An append ends in a later turn, so that clients can read in between.
    await Promise.resolve();
  }
}

async function appendEach(logs: readonly EventLog[]): Promise<void> {
  for (const entry of entries(events)) for (const log of logs) await log.append([entry]);
}

interface Clients {
  /** Resolves when each client has received this number of messages more. */
  received(count: number): Promise<void>;
  close(): void;
}

async function connected(count: number, urlOf: (index: number) => string): Promise<Clients> {
  const sockets = Array.from({ length: count }, (_, index) => new WebSocket(urlOf(index)));
  let total = 0;
  let wanted = Infinity;
  let done: (() => void) | undefined;
  for (const socket of sockets) {
    socket.on('message', () => {
      total += 1;
      if (total >= wanted) done?.();
    });
  }
  await Promise.all(sockets.map((socket) => once(socket, 'open')));
  return {
    async received(each) {
      const { promise, resolve } = Promise.withResolvers<void>();
      [wanted, done] = [each * count, resolve];
      if (total >= wanted) resolve();
      await promise;
      [total, wanted] = [0, Infinity];
    },
    close() {
      for (const socket of sockets) socket.terminate();
    },
  };
}

async function eventRate(count: number, clients: Clients, send: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await Promise.all([clients.received(events), send()]);
  return (events * count * 1000) / (performance.now() - began);
}

function row(name: string, bare: number, varve: number, unit: string): Row {
  return [name, bare.toFixed(0), varve.toFixed(0), unit, `${(varve / bare).toFixed(2)}×`];
}
