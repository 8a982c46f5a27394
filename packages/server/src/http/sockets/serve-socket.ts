import type { WebSocket } from 'ws';
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { StorageError } from '@varve/storage';
import type { Logger } from 'pino';
import type { WindowCounts } from '../guards/failed-keys.ts';
import { type Access, allows, type Scope } from '../../access.ts';
import type { Authentication } from '../guards/authentication.ts';
import type { RequestCount } from '../guards/scopes.ts';
import { refusalOf } from '../route/handle-failure.ts';
import type { Services } from '../services.ts';
import { sendsKey } from './authenticate.ts';
import { inboxOf, type Inbox } from './inbox.ts';
import { closeSocket } from './close-socket.ts';
import type { SocketLimits } from '../../streams/limits.ts';
import type { MessageError } from './receive-messages.ts';

/** An accepted client. */
export interface Client {
  readonly socket: WebSocket;
  readonly inbox: Inbox;
  readonly connection: Socket;
  readonly access: Access;
}

/** Parts of `serveSocket`. */
export interface SocketContext {
  readonly authenticate: Authentication;
  readonly failed: WindowCounts;
  /** Counts messages, too. */
  readonly count: RequestCount;
  readonly limits: SocketLimits;
  readonly logger: Logger;
  /** Number of clients that have sent no key yet. */
  readonly unknown: { count: number };
}

/** Parts of a socket that uses the services of its server. */
export type ServiceContext = SocketContext & { readonly services: Services };

/** A socket and what its handshake contained. */
export interface OpenedSocket {
  readonly socket: WebSocket;
  /** Handshake. */
  readonly request: Request;
  /** Rights of the sender of the handshake; undefined without a key. */
  readonly access: Access | undefined;
  /** Right that the socket needs. */
  readonly scope: Scope;
  readonly connection: Socket;
  /** Address of the client. */
  readonly sender: string | undefined;
  /** Keeps the connection, whose client has sent a key. */
  readonly trust: () => void;
}

/** Serves an open socket until it closes: the client sends its key, if the handshake had none, and is served. */
export async function serveSocket(
  { socket, request, scope, connection, sender, trust, ...opened }: OpenedSocket,
  context: SocketContext,
  serve: (client: Client) => Promise<void>,
): Promise<void> {
  // Every error of a connection is followed by its end.
  socket.on('error', () => undefined);
  keepAlive(socket, context.limits.pingMs);
  const inbox = inboxOf(socket);
  const sentAccess = async (): Promise<Access | undefined> => {
    context.unknown.count += 1;
    const authenticate = (key: string) => context.authenticate(request, key);
    return sendsKey(socket, inbox, { ...context, authenticate, connection }).finally(
      () => (context.unknown.count -= 1),
    );
  };
  try {
    const access = opened.access ?? (await sentAccess());
    if (!access || !allows(access, scope)) {
      if (!access) context.failed.add(sender);
      return closeSocket(socket, 'notAuthenticated', 'Authentication failed');
    }
    trust();
    await serve({ socket, inbox, connection, access });
  } catch (error) {
    closeAfter(error, socket, context.logger);
  }
}

/** Closes a socket after an error, which only the log describes unless the client caused it. */
export function closeAfter(error: unknown, socket: WebSocket, logger: Logger): void {
  const code = error instanceof StorageError ? error.code : undefined;
  if (code === 'missing') return closeSocket(socket, 'notFound', 'Conversation not found');
  if (code === 'invalid') return closeSocket(socket, 'invalidCursor', 'The cursor is after the last event');
  closeSocket(socket, 'failed', `Internal Server Error ${logFailure(error, logger)}`);
}

/** Describes an error for the sender of a message; only the log describes one that no client can act on. */
export function messageErrorOf(error: unknown, logger: Logger): MessageError {
  const refusal = error instanceof Error ? refusalOf(error) : undefined;
  if (error instanceof Error && refusal) return { code: error.name, detail: refusal.detail };
  return { code: 'InternalServerError', detail: `Internal Server Error ${logFailure(error, logger)}` };
}

/** Logs an unexpected error; returns its id, which the client receives instead. */
function logFailure(error: unknown, logger: Logger): string {
  const error_id = randomUUID().replaceAll('-', '');
  logger.error({ err: error, error_id }, 'failure of a socket');
  return error_id;
}

/** Pings a client, and disconnects it when it answered none since the ping before. */
export function keepAlive(socket: WebSocket, pingMs: number): void {
  let isAlive = true;
  const mark = (): void => void (isAlive = true);
  const timer = setInterval(() => {
    // While messages are processed, nothing is read, and no answer either.
    if (!isAlive && !socket.isPaused) {
      socket.terminate();
      return;
    }
    isAlive = false;
    socket.ping();
  }, pingMs);
  timer.unref();
  socket.on('pong', mark);
  socket.on('message', mark);
  socket.once('close', () => clearInterval(timer));
}
