import { OpenAPIHono } from '@hono/zod-openapi';
import type { EventStore } from '@varve/storage';
import { methodNotAllowed } from 'hono/method-not-allowed';
import { answerFailure, refusal } from './answer-failure.ts';
import { keyScheme } from './define-route.ts';
import { checkHost } from './guards/check-host.ts';
import { checkOrigin } from './guards/check-origin.ts';
import { requireKey } from './guards/require-key.ts';
import { conversationFolds } from './info/conversation-folds.ts';
import { listen, type Listening } from './listen.ts';
import type { LogOptions } from './log-options.ts';
import { loggerFor, requestLog } from './request-log.ts';
import { routes } from './routes.ts';
import { protocolVersion } from './routes/health.ts';
import type { ServerEnv } from './server-env.ts';
import type { Services } from './services.ts';

/** What a server works with. */
export interface ServerOptions {
  /** Not owned: the caller closes it after the server has stopped. */
  readonly store: EventStore;
  /** Any one of them opens `/api`. At least one, of visible ASCII. */
  readonly keys: readonly string[];
  /** Where it listens; default `127.0.0.1`. A host that other machines reach needs a key that is not guessed. */
  readonly host?: string;
  /** Names it answers to besides `host` and those of this machine, without a port. */
  readonly allowedHosts?: readonly string[];
  /** Origins whose pages may call it, such as `https://app.example`; default none. */
  readonly allowedOrigins?: readonly string[];
  /** Default: nothing is logged. */
  readonly log?: LogOptions;
  /** UTC milliseconds; default `Date.now`. */
  readonly now?: () => number;
}

/** A server that answers requests, with or without a socket. */
export interface Server {
  /** Answers a request without a socket. */
  fetch(request: Request): Promise<Response>;
  /** Answers a request made in this process to one of its paths: `request('/alive')`. */
  request(path: string, init?: RequestInit): Promise<Response>;
  /** Listens at a port of its host; 0 picks a free one. @throws {ServerError} `address` when it cannot. */
  listen(port: number): Promise<Listening>;
}

/**
 * The agent-server protocol over a store.
 *
 * @throws {ServerError} `invalid` for a key or an origin that is none.
 */
export function server(options: ServerOptions): Server {
  const { store, keys, host = '127.0.0.1', allowedHosts = [], allowedOrigins = [], now = Date.now } = options;
  const logger = loggerFor(options.log);
  const app = new OpenAPIHono<ServerEnv>();
  app.use(requestLog(logger), checkHost({ host, allowed: allowedHosts }), ...checkOrigin(allowedOrigins));
  app.use('/api/*', requireKey(keys));
  app.use(methodNotAllowed({ app, onMethodNotAllowed: (_context, methods) => notAllowed(methods) }));
  addRoutes(app, { store, folds: conversationFolds(store), now, startedAt: now() });
  app.notFound(() => refusal(404, 'Not Found'));
  app.onError(answerFailure(logger));
  return {
    fetch: async (request) => app.fetch(request),
    request: async (path, init) => app.request(path, init),
    listen: (port) => listen({ fetch: app.fetch, host, port }),
  };
}

function notAllowed(methods: readonly string[]): Response {
  return refusal(405, 'Method Not Allowed', { allow: methods.join(', ') });
}

function addRoutes(app: OpenAPIHono<ServerEnv>, services: Services): void {
  for (const { config, answer } of routes) {
    app.openAPIRegistry.registerPath(config);
    const path = config.path.replaceAll(/\{(\w+)\}/g, ':$1');
    app.on(config.method, path, (context) => answer(context, services));
  }
  app.openAPIRegistry.registerComponent('securitySchemes', keyScheme.name, keyScheme.scheme);
  app.doc31('/openapi.json', { openapi: '3.1.0', info: { title: 'varve', version: protocolVersion } });
}
