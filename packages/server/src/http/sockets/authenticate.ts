import { parseJson } from '@varve/text';
import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import type { WebSocket } from 'ws';
import type { KeyCheck } from '../guards/key-check.ts';
import type { Inbox } from './inbox.ts';
import type { SocketLimits } from '../../streams/limits.ts';

const keyMessage = lazy(() => z.object({ type: z.literal('auth'), session_api_key: z.string() }));

/** Returns true for the message that contains a key. Clients also send it when they sent the key before. */
export function isKeyMessage(value: unknown): boolean {
  return keyMessage().safeParse(value).success;
}

/** Parts of `sendsKey`. */
export interface KeyMessageOptions {
  readonly isKey: KeyCheck;
  readonly limits: Pick<SocketLimits, 'authenticationMs' | 'unknownBytes'>;
  /** The connection of the socket. */
  readonly connection: NodeJS.EventEmitter;
}

/** Resolves with true if the first message of a client contains a key, in time and without a flood before it. */
export async function sendsKey(
  socket: WebSocket,
  inbox: Inbox,
  { isKey, limits, connection }: KeyMessageOptions,
): Promise<boolean> {
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
    return first !== undefined && containsKey(first, isKey);
  } finally {
    clearTimeout(timer);
    connection.off('data', count);
  }
}

function containsKey(text: string, isKey: KeyCheck): boolean {
  const parsed = keyMessage().safeParse(parseJson(text));
  return parsed.success && isKey(parsed.data.session_api_key);
}
