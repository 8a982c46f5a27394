import { randomUUID } from 'node:crypto';
import type { Replicas } from '@varve/storage';
import { proxy } from 'hono/proxy';
import { RequestError } from '../error.ts';
import type { Access } from '../access.ts';
import { forwardedHeader, type PeerSignature } from './peer-signature.ts';
import { askFor } from './wanted.ts';

/** Header of the response at `/alive`: the id of the replica. */
export const replicaHeader = 'x-varve-replica';

/** Options of {@link peers}. */
export interface PeersOptions {
  readonly replicas: Pick<Replicas, 'addressOf' | 'records'>;
  /** URL of this replica. */
  readonly address: string;
  /** Key of every replica, for messages to one of an older version, which checks no signature. */
  readonly key: string;
  readonly signature: Pick<PeerSignature, 'sign'>;
  /** Resolves after some milliseconds. */
  readonly delay: (ms: number) => Promise<void>;
  /** Milliseconds of a clock that is never set. */
  readonly now: () => number;
}

/** The other replicas of a store. */
export interface Peers {
  /**
   * Returns the response of the replica that holds a conversation, to a request of a sender; undefined if no other
   * one does. One that cannot be
   * reached is waited for until its lease has ended, or it has given the conversation up.
   */
  forward(id: string, request: Request, access: Access): Promise<Response | undefined>;
  /** Sends a request to this replica again, which does not forward it. */
  repeat(request: Request, access: Access): Promise<Response>;
  /** Id of this process, which it answers with in {@link replicaHeader}. */
  readonly id: string;
  /** Returns true if this replica answers at its own address, and no other server. */
  isReachable(): Promise<boolean>;
  /**
   * Sends a message of a sender, which a run answers, to the replica that holds a conversation. Returns false if no
   * other one does.
   *
   * @throws {RequestError} `stopping` if that replica refuses it or does not answer.
   */
  send(id: string, message: object, access: Access): Promise<boolean>;
}

/** Longest wait for a replica that cannot be reached: longer than its lease lasts. */
const waitMs = 20_000;
const retryMs = 250;
/** Longest wait for the reply of this replica itself. */
const reachedMs = 10_000;

/** Forwards requests to the replicas whose addresses the leases contain. */
export function peers({ replicas, address: own, key, signature, delay, now }: PeersOptions): Peers {
  const send = sender(signature);
  const forward = forwarder({ replicas, address: own, delay, now }, send);
  const ownId = randomUUID();
  return {
    id: ownId,
    forward,
    repeat: async (request, access) => (await send(request, { address: own, access })) ?? unreachable(own),
    async isReachable() {
      const request = new Request(new URL('/alive', own), { signal: AbortSignal.timeout(reachedMs) });
      const response = await send(request, { address: own, access: { scopes: [] } });
      return response?.headers.get(replicaHeader) === ownId;
    },
    async send(id, message, access) {
      const url = new URL(`/api/conversations/${id}/events`, own);
      const response = await forward(id, messageRequest(url, key, message), access);
      if (response?.ok === false) {
        throw new RequestError('stopping', `The replica of the conversation refused the message: ${response.status}.`);
      }
      return response !== undefined;
    },
  };
}

/** Returns a function that forwards a request to the replica that holds a conversation. */
function forwarder(
  { replicas, address: own, delay, now }: Omit<PeersOptions, 'key' | 'signature'>,
  send: ReturnType<typeof sender>,
): Peers['forward'] {
  return async (id, request, access) => {
    const end = now() + waitMs;
    await using asked = new AsyncDisposableStack();
    let asks = '';
    for (;;) {
      const holder = await replicas.addressOf(id);
      if (holder === undefined || holder === own) return undefined;
      // The body may be sent again.
      const isHolder = async (): Promise<boolean> => (await replicas.addressOf(id)) === holder;
      using held = whileTrue(isHolder, delay);
      const signal = AbortSignal.any([request.signal, held.signal]);
      const response = await send(request.clone(), { address: holder, access, signal });
      if (response) return response;
      if (now() >= end) return unreachable(holder);
      if (asks !== holder) asked.use(await askFor(id, holder, replicas.records));
      asks = holder;
      await delay(retryMs);
    }
  };
}

/** Returns the request of a message, which a run answers. */
function messageRequest(url: URL, key: string, message: object): Request {
  const headers = { 'content-type': 'application/json', 'X-Session-API-Key': key };
  return new Request(url, { method: 'POST', headers, body: JSON.stringify({ ...message, run: true }) });
}

/** Where a request is sent, for whom, and until when. */
interface Sending {
  readonly address: string;
  readonly access: Access;
  /** Default: that of the request. */
  readonly signal?: AbortSignal;
}

/** Returns a function that sends a request to a replica; it returns undefined if the request may be sent again. */
function sender(signature: Pick<PeerSignature, 'sign'>) {
  return async (
    request: Request,
    { address, access, signal = request.signal }: Sending,
  ): Promise<Response | undefined> => {
    const { pathname, search } = new URL(request.url);
    const target = { method: request.method, url: `${pathname}${search}` };
    const body = request.body ? new Uint8Array(await request.arrayBuffer()) : undefined;
    const headers = {
      ...Object.fromEntries(request.headers),
      [forwardedHeader]: signature.sign(target, body ?? new Uint8Array(), access),
      host: new URL(address).host,
      // A replica that stops refuses new connections; whether it received a request on an old one would be unknown.
      connection: 'close',
    };
    try {
      const url = new URL(target.url, address);
      return await proxy(url, { method: request.method, headers, ...(body && { body }), signal, redirect: 'manual' });
    } catch (error) {
      return isRefusal(error) || repeatable.has(request.method) ? undefined : unreachable(address);
    }
  };
}

/** Aborts its signal when a replica no longer holds a conversation, until it is disposed. */
interface Held extends Disposable {
  readonly signal: AbortSignal;
}

const heldCheckMs = 2_000;

/** A replica that was stopped accepts connections and answers nothing: its lease ends. */
function whileTrue(isHolder: () => Promise<boolean>, delay: PeersOptions['delay']): Held {
  const lost = new AbortController();
  let isDone = false;
  const watch = async (): Promise<void> => {
    for (;;) {
      await delay(heldCheckMs);
      if (isDone) return;
      // A store that cannot be read shows nothing.
      if (!(await isHolder().catch(() => true))) return lost.abort();
    }
  };
  void watch();
  return { signal: lost.signal, [Symbol.dispose]: () => void (isDone = true) };
}

/** Methods whose requests may be received twice. */
const repeatable = new Set(['PUT', 'DELETE']);

const refusals = new Set<unknown>([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Returns true for an error after which the other side has received nothing. */
function isRefusal(error: unknown): boolean {
  const { cause } = error instanceof Error ? error : {};
  return cause instanceof Error && 'code' in cause && refusals.has(cause.code);
}

function unreachable(address: string): Response {
  const detail = `The replica ${address}, which has the conversation, does not answer.`;
  return Response.json({ detail }, { status: 503, headers: { 'retry-after': '5' } });
}
