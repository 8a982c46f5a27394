import { parseJson } from '@varve/text';
import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import type { WebSocket } from 'ws';
import type { Access } from '../../access.ts';
import type { Inbox } from './inbox.ts';
import type { SocketLimits } from '../../streams/limits.ts';

const keyMessage = lazy(() => z.object({ type: z.literal('auth'), session_api_key: z.string() }));

/** Returns true for the message that contains a key. Clients also send it when they sent the key before. */
export function isKeyMessage(value: unknown): boolean {
  return keyMessage().safeParse(value).success;
}

/** Parts of `sendsKey`. */
export interface KeyMessageOptions {
  /** Returns what the sender of a key may do. */
  readonly authenticate: (key: string) => Promise<Access | undefined>;
  readonly limits: Pick<SocketLimits, 'authenticationMs' | 'unknownBytes'>;
  /** The connection of the socket. */
  readonly connection: NodeJS.EventEmitter;
}

/** Returns the rights of the key in the first message of a client, if it is sent in time and without a flood before. */
export async function sendsKey(
  socket: WebSocket,
  inbox: Inbox,
  { authenticate, limits, connection }: KeyMessageOptions,
): Promise<Access | undefined> {
  let bytes = 0;
  const count = (chunk: Uint8Array): void => {
    bytes += chunk.length;
    if (bytes > limits.unknownBytes) socket.terminate();
  };
  const { promise: late, resolve: end } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => end(undefined), limits.authenticationMs);
  connection.on('data', count);
  try {
    const first = await Promise.race([inbox.next(), late]);
    const { data } = keyMessage().safeParse(parseJson(first ?? ''));
    return data && (await authenticate(data.session_api_key));
  } finally {
    clearTimeout(timer);
    connection.off('data', count);
  }
}
