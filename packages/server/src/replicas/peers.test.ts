import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { memoryRecords } from '../../test/support/memory-records.ts';
import { forwardedHeader, peerSignature } from './peer-signature.ts';
import { peers, replicaHeader } from './peers.ts';
import { wantedConversations } from './wanted.ts';

const own = 'http://127.0.0.1:1';
const signature = peerSignature('passphrase', () => 1_000_000);
const access = { owner: 'alice', scopes: ['run'] } as const;

/** Starts a replica and returns its address. */
async function replica(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Returns the peers of a replica for which a conversation has these addresses, one look after the other. */
function peersOf(...addresses: readonly (string | undefined)[]) {
  return peersAt(own, addresses);
}

function peersAt(address: string, addresses: readonly (string | undefined)[] = []) {
  const left = [...addresses];
  return peers({
    replicas: { addressOf: async () => (left.length > 1 ? left.shift() : left[0]), records: memoryRecords() },
    address,
    key: 'key',
    signature,
    delay: async () => new Promise(setImmediate),
    now: () => 0,
  });
}

const post = (): Request =>
  new Request('http://balancer/api/conversations/c/events?a=b', {
    method: 'POST',
    headers: { 'x-session-api-key': 'of-the-client' },
    body: 'body',
  });

test('a request is sent to the replica that has the conversation, with the headers of the client', async () => {
  const { promise: received, resolve: receive } = Promise.withResolvers<unknown>();
  const address = await replica((request, response) => {
    const { url, headers } = request;
    const seen = [
      url,
      headers['x-session-api-key'],
      headers.host,
      signature.isSigned({ method: 'POST', url: url ?? '' }, headers[forwardedHeader]),
    ];
    receive(text(request).then((body) => [...seen, body]));
    response.writeHead(201).end();
  });
  const response = await peersOf(address).forward('c', post(), access);
  expect(response?.status).toBe(201);
  const { host } = new URL(address);
  expect(await received).toEqual(['/api/conversations/c/events?a=b', 'of-the-client', host, true, 'body']);
});

test.for([[undefined], [own], ['http://127.0.0.1:2', 'http://127.0.0.1:2', undefined]])(
  'a request is processed here if no other replica has the conversation, or one that ended: %j',
  async (addresses) => {
    expect(await peersOf(...addresses).forward('c', post(), access)).toBeUndefined();
  },
);

test('a replica that answers nothing is waited for while it has the conversation', async () => {
  const address = await replica(() => {});
  const response = await peersOf(address, address, address, undefined).forward('c', post(), access);
  expect(response?.status).toBe(503);
  expect(await response?.json()).toEqual({ detail: expect.stringContaining('does not answer') });
});

test('a request that may be repeated is processed here after the other replica ended', async () => {
  const address = await replica((request) => request.socket.destroy());
  const sent = (method: string) =>
    peersOf(address, address, undefined).forward('c', new Request(own, { method }), access);
  expect(await sent('DELETE')).toBeUndefined();
  expect((await sent('POST'))?.status).toBe(503);
});

test('a message that another replica refuses is a failure', async () => {
  const address = await replica((_request, response) => response.writeHead(500).end());
  await expect(peersOf(address).send('c', {}, access)).rejects.toMatchObject({ code: 'stopping' });
  expect(await peersOf(undefined).send('c', {}, access)).toBe(false);
});

test('a holder that cannot be reached is asked in the database to give the conversation up, and keeps it from itself', async () => {
  const records = memoryRecords();
  const holder = 'http://127.0.0.1:2';
  let time = 0;
  const wanted = wantedConversations({ records, address: holder, now: () => time });
  let address: string | undefined = holder;
  const looks: (readonly string[])[] = [];
  const peer = peers({
    replicas: { addressOf: async () => address, records },
    address: own,
    key: 'key',
    signature,
    now: () => 0,
    async delay(ms) {
      // Between two attempts, not between two looks at the holder during one.
      await new Promise<void>((resolve) => void (ms < 1000 && setImmediate(resolve)));
      looks.push(await wanted.look());
      if (looks.at(-1)?.includes('c')) address = undefined;
    },
  });
  expect(await peer.forward('c', post(), access)).toBeUndefined();
  expect(looks[0]).toEqual([]);
  expect(await records.names('', '~')).toEqual([]);
  expect(wanted.isForOthers('c')).toBe(true);
  time = 120_000;
  await wanted.look();
  expect(wanted.isForOthers('c')).toBe(false);
});

test('a replica knows whether it answers at its own address', async () => {
  let id = 'of another replica';
  const address = await replica((_request, response) => response.writeHead(200, { [replicaHeader]: id }).end());
  const server = await replica((_request, response) => response.writeHead(200).end());
  const reached = [address, server, 'http://127.0.0.1:2'].map((at) => peersAt(at).isReachable());
  expect(await Promise.all(reached)).toEqual([false, false, false]);
  const peer = peersAt(address);
  ({ id } = peer);
  expect(await peer.isReachable()).toBe(true);
});

/** Returns the request that a receiver sees of one that a replica forwarded. */
function forwarded(
  changes: RequestInit & { readonly path?: string } = {},
  passphrase = 'passphrase',
  at = 1_000_000,
): Request {
  const url = '/api/conversations/c/events?a=b';
  const signed = peerSignature(passphrase, () => at).sign({ method: 'POST', url }, Buffer.from('body'), access);
  const { path = url, ...init } = changes;
  return new Request(`${own}${path}`, {
    method: 'POST',
    body: 'body',
    headers: { [forwardedHeader]: signed },
    ...init,
  });
}

test('what a replica forwards has the rights of its sender', async () => {
  expect(await signature.accessOf(forwarded())).toEqual(access);
  expect(await signature.accessOf(forwarded({}, 'passphrase', 1_200_000))).toEqual(access);
});

test.for([
  ['another passphrase', forwarded({}, 'other')],
  ['a signature of long ago', forwarded({}, 'passphrase', 1)],
  ['another body', forwarded({ body: 'other' })],
  ['another path', forwarded({ path: '/api/conversations/d/events?a=b' })],
  ['another query', forwarded({ path: '/api/conversations/c/events' })],
  ['another method', forwarded({ method: 'PUT' })],
  ['no header', forwarded({ headers: {} })],
  ['the header of an older version', forwarded({ headers: { [forwardedHeader]: '1' } })],
  ['a header without a signature', forwarded({ headers: { [forwardedHeader]: 'e30.' } })],
] as const)('a request with %s has no rights', async ([, request]) => {
  expect(await signature.accessOf(request)).toBeUndefined();
});
