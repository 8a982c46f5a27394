import { OpenAPIHono } from '@hono/zod-openapi';
import type { EventStore } from '@varve/storage';
import type { Variables } from '@varve/text';
import { methodNotAllowed } from 'hono/method-not-allowed';
import { frontEnd } from './front-end/front-end.ts';
import { closeServices, createServices } from './create-services.ts';
import { handleFailure, errorResponse } from './handle-failure.ts';
import { keyScheme } from './route/route-config.ts';
import { checkHost } from './guards/check-host.ts';
import { checkOrigin } from './guards/check-origin.ts';
import { keyCheck, requireKey } from './guards/require-key.ts';
import { listen, type Listening } from './listen.ts';
import type { LogOptions } from './log-options.ts';
import { loggerFor, requestLog } from './request-log.ts';
import { routes } from './routes.ts';
import { protocolVersion } from './routes/health.ts';
import type { ServerEnv } from './server-env.ts';
import type { Services } from './services.ts';
import { addSockets } from './sockets/add-sockets.ts';

/** Options of `server`. */
export interface ServerOptions {
  /** Store of the conversations; the caller closes it after the server has stopped. */
  readonly store: EventStore;
  /** Accepted keys for `/api`: at least one, of visible ASCII. */
  readonly keys: readonly string[];
  /** Address to listen on; default `127.0.0.1`. An address that other machines can reach needs a strong key. */
  readonly host?: string;
  /** Accepted host names in addition to `host` and those of this machine, without a port. */
  readonly allowedHosts?: readonly string[];
  /** Origins whose pages may call the server, such as `https://app.example`; default none. */
  readonly allowedOrigins?: readonly string[];
  /** Directory of a built front end with an `index.html`; default none. Its files need no key. */
  readonly frontEnd?: string;
  /** Log; default none. */
  readonly log?: LogOptions;
  /** Clock in UTC milliseconds; default `Date.now`. */
  readonly now?: () => number;
  /** Data directory for keys, secrets and commands of clients. Without one they are kept in memory. */
  readonly home?: string;
  /** Environment: keys of providers, and the base of the environment of commands. Default: none. */
  readonly env?: Variables;
  /** Directory of relative paths and of commands without one. Default: that of this process. */
  readonly workspaceRoot?: string;
  /**
   * Directories whose files the file and git routes may use. Default: all. Commands and agents are not confined.
   */
  readonly fileRoots?: readonly string[];
  /** Maximum number of runs at a time; the others wait. Default 8. */
  readonly maxRuns?: number;
  /** Milliseconds without use after which a conversation is closed. Default 20 minutes. */
  readonly idleMs?: number;
  /** Calls a function repeatedly. Default: `setInterval`. */
  readonly every?: (ms: number, tick: () => void) => Disposable;
}

/** A server that handles requests with or without a socket. */
export interface Server extends AsyncDisposable {
  /** Handles a request without a socket. */
  fetch(request: Request): Promise<Response>;
  /** Handles a request of this process to a path: `request('/alive')`. */
  request(path: string, init?: RequestInit): Promise<Response>;
  /** Listens on a port of the host; 0 picks a free one. @throws {ServerError} `address` if that fails. */
  listen(port: number): Promise<Listening>;
  /** Pauses all runs and ends all commands. A server that listened does this when it stops. Idempotent. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Creates a server of the agent-server protocol for a store.
 *
 * @throws {ServerError} `invalid` for an invalid key or origin.
 */
export function server(options: ServerOptions): Server {
  const { keys, host = '127.0.0.1', allowedHosts = [], allowedOrigins = [] } = options;
  const logger = loggerFor(options.log);
  const app = new OpenAPIHono<ServerEnv>();
  app.use(requestLog(logger), checkHost({ host, allowed: allowedHosts }), ...checkOrigin(allowedOrigins));
  const isKey = keyCheck(keys);
  app.use('/api/*', requireKey(isKey));
  if (options.frontEnd !== undefined) app.use(...frontEnd(options.frontEnd));
  app.use(methodNotAllowed({ app, onMethodNotAllowed: (_context, methods) => notAllowed(methods) }));
  const services = createServices(options, logger);
  addRoutes(app, services);
  addSockets(app, { services, isKey, logger });
  app.notFound(() => errorResponse(404, 'Not Found'));
  app.onError(handleFailure(logger));
  return {
    fetch: async (request) => app.fetch(request),
    request: async (path, init) => app.request(path, init),
    async listen(port) {
      const onStop = (signal: AbortSignal): Promise<void> => closeServices(services, signal);
      const listening = await listen({ fetch: app.fetch, host, port, onStop });
      void services.conversations.recover().catch((err: unknown) => logger.error({ err }, 'failure'));
      return listening;
    },
    [Symbol.asyncDispose]: () => closeServices(services, AbortSignal.abort()),
  };
}

function notAllowed(methods: readonly string[]): Response {
  return errorResponse(405, 'Method Not Allowed', { allow: methods.join(', ') });
}

/** Returns a path of the document as hono expects it; `{file_path}` matches the rest of the path. */
function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => (name === 'file_path' ? ':file_path{.+}' : `:${name}`));
}

function addRoutes(app: OpenAPIHono<ServerEnv>, services: Services): void {
  for (const { config, handle } of routes) {
    app.openAPIRegistry.registerPath(config);
    // Clients send some paths with a slash at the end and some without.
    const path = honoPath(config.path).replace(/(?<=.)\/$/, '');
    const paths = path === '/' ? [path] : [path, `${path}/`];
    app.on(config.method, paths, (context) => handle(context, services));
  }
  app.openAPIRegistry.registerComponent('securitySchemes', keyScheme.name, keyScheme.scheme);
  app.doc31('/openapi.json', { openapi: '3.1.0', info: { title: 'varve', version: protocolVersion } });
}
