import { randomUUID } from 'node:crypto';
import type { Replicas } from '@varve/storage';
import { proxy } from 'hono/proxy';
import { RequestError } from '../error.ts';
import { askFor } from './wanted.ts';

/** Header of a request that a replica forwarded: no other one forwards it again. */
export const forwardedHeader = 'x-varve-forwarded';

/** Header of the response at `/alive`: the id of the replica. */
export const replicaHeader = 'x-varve-replica';

/** Options of {@link peers}. */
export interface PeersOptions {
  readonly replicas: Pick<Replicas, 'addressOf' | 'records'>;
  /** URL of this replica. */
  readonly address: string;
  /** Key of every replica, for messages of sockets. */
  readonly key: string;
  /** Resolves after some milliseconds. */
  readonly delay: (ms: number) => Promise<void>;
  /** Milliseconds of a clock that is never set. */
  readonly now: () => number;
}

/** The other replicas of a store. */
export interface Peers {
  /**
   * Returns the response of the replica that holds a conversation; undefined if no other one does. One that cannot be
   * reached is waited for until its lease has ended, or it has given the conversation up.
   */
  forward(id: string, request: Request): Promise<Response | undefined>;
  /** Sends a request to this replica again, which does not forward it. */
  repeat(request: Request): Promise<Response>;
  /** Id of this process, which it answers with in {@link replicaHeader}. */
  readonly id: string;
  /** Returns true if this replica answers at its own address, and no other server. */
  isReachable(): Promise<boolean>;
  /**
   * Sends a message, which a run answers, to the replica that holds a conversation. Returns false if no other one does.
   *
   * @throws {RequestError} `stopping` if that replica refuses it or does not answer.
   */
  send(id: string, message: object): Promise<boolean>;
}

/** Longest wait for a replica that cannot be reached: longer than its lease lasts. */
const waitMs = 20_000;
const retryMs = 250;
/** Longest wait for the reply of this replica itself. */
const reachedMs = 10_000;

/** Forwards requests to the replicas whose addresses the leases contain. */
export function peers({ replicas, address: own, key, delay, now }: PeersOptions): Peers {
  const forward: Peers['forward'] = async (id, request) => {
    const end = now() + waitMs;
    await using asked = new AsyncDisposableStack();
    let asks = '';
    for (;;) {
      const holder = await replicas.addressOf(id);
      if (holder === undefined || holder === own) return undefined;
      // The body may be sent again.
      const isHolder = async (): Promise<boolean> => (await replicas.addressOf(id)) === holder;
      using held = whileTrue(isHolder, delay);
      const response = await send(request.clone(), holder, AbortSignal.any([request.signal, held.signal]));
      if (response) return response;
      if (now() >= end) return unreachable(holder);
      if (asks !== holder) asked.use(await askFor(id, holder, replicas.records));
      asks = holder;
      await delay(retryMs);
    }
  };
  const ownId = randomUUID();
  return {
    id: ownId,
    forward,
    repeat: async (request) => (await send(request, own, request.signal)) ?? unreachable(own),
    async isReachable() {
      const response = await send(new Request(new URL('/alive', own)), own, AbortSignal.timeout(reachedMs));
      return response?.headers.get(replicaHeader) === ownId;
    },
    async send(id, message) {
      const headers = { 'content-type': 'application/json', 'X-Session-API-Key': key };
      const body = JSON.stringify({ ...message, run: true });
      const url = new URL(`/api/conversations/${id}/events`, own);
      const response = await forward(id, new Request(url, { method: 'POST', headers, body }));
      if (response?.ok === false) {
        throw new RequestError('stopping', `The replica of the conversation refused the message: ${response.status}.`);
      }
      return response !== undefined;
    },
  };
}

/** Sends a request to a replica, until the signal aborts. Returns undefined if it may be sent again. */
async function send(request: Request, address: string, signal: AbortSignal): Promise<Response | undefined> {
  const { pathname, search } = new URL(request.url);
  const headers = {
    ...Object.fromEntries(request.headers),
    [forwardedHeader]: '1',
    host: new URL(address).host,
    // A replica that stops refuses new connections; whether it received a request on an old one would be unknown.
    connection: 'close',
  };
  try {
    const url = new URL(`${pathname}${search}`, address);
    return await proxy(url, { raw: request, headers, signal, redirect: 'manual' });
  } catch (error) {
    return isRefusal(error) || repeatable.has(request.method) ? undefined : unreachable(address);
  }
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
