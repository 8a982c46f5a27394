import type { z } from '@hono/zod-openapi';
import { upgradeWebSocket } from '@hono/node-server';
import type { Context, Hono, MiddlewareHandler } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { WebSocket } from 'ws';
import { conversationId } from '../../reference/info/conversation-id.ts';
import type { WindowCounts } from '../guards/failed-keys.ts';
import type { Access } from '../../access.ts';
import type { Authentication } from '../guards/authentication.ts';
import { checkScope, type RequestCount, scopeOf } from '../guards/scopes.ts';
import { keyHeader } from '../route/route-config.ts';
import type { ServerEnv } from '../route/route.ts';
import type { Services } from '../services.ts';
import { bashQuery, eventQuery, resendsAll, startOf } from '../conversations/event-query.ts';
import { socketLimits, type SocketLimits } from '../../streams/limits.ts';
import { serveBash } from './serve-bash.ts';
import { serveEvents } from './serve-events.ts';
import { serveSocket, type Client, type SocketContext } from './serve-socket.ts';

/** Options of `addSockets`. */
export interface SocketOptions {
  readonly services: Services;
  readonly authenticate: Authentication;
  readonly failed: WindowCounts;
  readonly count: RequestCount;
  /** Default `socketLimits`. */
  readonly limits?: SocketLimits;
}

/**
 * Adds the sockets to an app.
 *
 * @see agent-server 1.43.1: a handshake with a wrong key, path or query is answered with status 403
 */
export function addSockets(app: Hono<ServerEnv>, options: SocketOptions): void {
  const { limits = socketLimits, ...rest } = options;
  const context = { ...rest, limits, logger: rest.services.logger, unknown: { count: 0 } };
  const events = eventQuery().extend({ conversation_id: conversationId() });
  app.get(
    '/sockets/events/:conversation_id',
    socketRoute(context, events, (client, { conversation_id, ...query }) =>
      serveEvents(client, { conversationId: conversation_id, start: startOf(query) }, context),
    ),
  );
  app.get(
    '/sockets/bash-events',
    socketRoute(context, bashQuery(), (client, query) => serveBash(client, { resendsAll: resendsAll(query) }, context)),
  );
}

/** Returns the handler of a handshake: it checks the key and the input, and serves the socket. */
function socketRoute<Input extends z.ZodType>(
  socketContext: SocketContext,
  schema: Input,
  serve: (client: Client, input: z.output<Input>) => Promise<void>,
): MiddlewareHandler<ServerEnv> {
  return async (context, next) => {
    const access = await handshakeAccess(context, socketContext);
    const scope = scopeOf('GET', context.req.path);
    if (access) checkScope(access, scope);
    const input = schema.safeParse({ ...context.req.query(), ...context.req.param() });
    if (!input.success) throw new HTTPException(403, { message: 'Forbidden' });
    const upgrade = upgradeWebSocket(() => ({
      onOpen(_event, { raw: socket }) {
        const connection = context.env.incoming?.socket;
        if (!(socket instanceof WebSocket) || !connection) return;
        const { sender } = context.env;
        const request = context.req.raw;
        const opened = { socket, request, access, scope, connection, sender, trust: () => context.env.trust?.() };
        void serveSocket(opened, socketContext, (client) => serve(client, input.data));
      },
    }));
    return upgrade(context, next);
  };
}

/**
 * Returns the rights of the sender of a handshake; undefined for one without a key.
 *
 * @throws {HTTPException} 403 for a wrong one, 503 if too many clients have sent none.
 */
async function handshakeAccess(
  context: Context<ServerEnv>,
  { authenticate, unknown, limits }: SocketContext,
): Promise<Access | undefined> {
  const { req } = context;
  // An empty parameter counts as absent.
  const key = req.query('session_api_key') || req.header(keyHeader) || undefined;
  const access = await authenticate(req.raw, key);
  if (access) context.set('access', access);
  else if (key !== undefined) throw new HTTPException(403, { message: 'Forbidden' });
  else if (unknown.count >= limits.unknownClients)
    throw new HTTPException(503, { message: 'Too many connections without a key.' });
  return access;
}
