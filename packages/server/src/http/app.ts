import type { MiddlewareHandler } from 'hono';
import { OpenAPIHono } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import { bodyLimit } from 'hono/body-limit';
import { methodNotAllowed } from 'hono/method-not-allowed';
import { frontEnd } from './front-end/front-end.ts';
import { handleFailure, errorResponse } from './route/handle-failure.ts';
import { keyScheme } from './route/route-config.ts';
import { checkHost } from './guards/check-host.ts';
import { checkOrigin } from './guards/check-origin.ts';
import { failedKeys } from './guards/failed-keys.ts';
import { requireInitialized, requireInitKey } from './guards/require-init-key.ts';
import { authentication } from './guards/authentication.ts';
import { fullKeys, keyCheck } from './guards/key-check.ts';
import { hideOthers, limitRequests, requestCount } from './guards/scopes.ts';
import { limitFailedKeys, requireKey } from './guards/require-key.ts';
import { workspaceSessions } from './guards/workspace-session.ts';
import { recordActivity } from './operations/activity.ts';
import { requestMetrics } from './operations/metrics.ts';
import { copiedRequest, forwardHeld, replicaId, shareSettings } from './replica-requests.ts';
import { maxBytes } from './route/request-body.ts';
import { requestLog } from './request-log.ts';
import { routes } from './routes.ts';
import { gatewayErrors } from './system/gateway-errors.ts';
import { protocolVersion } from './system/health.ts';
import type { ServerEnv } from './route/route.ts';
import type { Services } from './services.ts';
import { addSockets } from './sockets/add-sockets.ts';
import type { ServerOptions } from '../server-options.ts';
import { isModelReady } from '../settings/settings-document.ts';
import { notifyWebhooks } from './notify-webhooks.ts';

/**
 * Creates the handler of requests to services: guards, then routes. Everything below `/api` and `/v1`, and metrics,
 * require a key; the sockets check it themselves.
 *
 * @throws {ServerError} `invalid` for an invalid key or origin.
 */
export function createApp(services: Services, options: ServerOptions): OpenAPIHono<ServerEnv> {
  const { logger, settings, initialization } = services;
  // Clients send some paths with a slash at the end and some without: guards and routes see them without.
  const app = new OpenAPIHono<ServerEnv>({ strict: false });
  app.use(requestLog(logger), requestMetrics(services.metrics), noSniff);
  app.use('/v1/*', gatewayErrors());
  const access = addGuards(app, options, services);
  if (initialization.isDeferred) for (const path of guarded) app.use(path, requireInitialized(initialization));
  const hasModel = async (): Promise<boolean> => settings !== undefined && isModelReady(settings);
  if (options.frontEnd !== undefined) app.use(...frontEnd({ directory: options.frontEnd, hasModel }));
  for (const path of ofConversation) app.use(path, hideOthers(services));
  app.use(methodNotAllowed({ app, onMethodNotAllowed: (_context, methods) => notAllowed(methods) }));
  app.use('/api/:group{bash|file|git}/*', recordActivity(services.activity));
  const { replica } = services;
  if (replica) {
    app.use('/alive', replicaId(replica));
    // What is forwarded is held in memory.
    for (const path of forwarded) app.use(path, copiedRequest, bodyLimit({ maxSize: maxBytes }));
    for (const path of ['/api/*', '/v1/*']) app.use(path, shareSettings(replica));
    for (const path of forwarded) app.use(path, forwardHeld(replica));
  }
  app.use('/api/conversations/*', notifyWebhooks(services.webhooks));
  addRoutes(app, services);
  addSockets(app, { ...access, services });
  app.notFound(() => errorResponse(404, 'Not Found'));
  app.onError(handleFailure(logger, services.secrets.redactor.text));
  return app;
}

/** Paths of which clients need a key. */
const guarded = ['/api/*', '/v1/*', '/sockets/*'];

/** Paths whose requests may need another replica. */
const forwarded = ['/api/conversations/*', '/v1/chat/*'];

/** Paths of one conversation. */
const ofConversation = ['/api/conversations/:conversation_id/*', '/api/file/download-trajectory/:conversation_id/*'];

/** Adds the guards of all requests, and returns what sockets need to check keys. */
function addGuards(app: OpenAPIHono<ServerEnv>, options: ServerOptions, { initialization, logger, replica }: Services) {
  const { keys, scopedKeys = [], host = '127.0.0.1', allowedHosts = [], address, allowedOrigins = [] } = options;
  const { openMetrics = false, now = Date.now } = options;
  app.use(
    checkHost({ host, allowed: [...allowedHosts, ...(address === undefined ? [] : [new URL(address).hostname])] }),
    ...checkOrigin(allowedOrigins),
  );
  const authenticate = authentication(options, logger);
  const isWorkspaceSession = workspaceSessions({ keys: [...fullKeys(keys), ...scopedKeys], allowedOrigins });
  const failed = failedKeys({ now });
  for (const path of [...guarded, '/metrics/*']) app.use(path, limitFailedKeys(failed));
  for (const path of ['/api/*', '/v1/*', ...(openMetrics ? [] : ['/metrics/*'])])
    app.use(path, requireKey({ authenticate, isWorkspaceSession, forwardedAccess: replica?.signature.accessOf }));
  app.use('/api/init/*', requireInitKey(initialization.isKey ?? keyCheck(keys)));
  const count = requestCount(options);
  for (const path of ['/api/*', '/v1/*']) app.use(path, limitRequests(count));
  return { authenticate, failed, count };
}

function notAllowed(methods: readonly string[]): Response {
  return errorResponse(405, 'Method Not Allowed', { allow: methods.join(', ') });
}

/** Returns a path of the document as hono expects it; `{file_path}` matches the rest of the path. */
function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => (name === 'file_path' ? ':file_path{.+}' : `:${name}`));
}

function addRoutes(app: OpenAPIHono<ServerEnv>, services: Services): void {
  for (const route of routes) {
    const path = honoPath(route.path).replace(/(?<=.)\/$/, '');
    app.on(route.method, [path], (context) => route.handle(context, services));
  }
  const document = lazy(() => openApiDocument(app));
  app.get('/openapi.json', (context) => context.json(document()));
}

/** Builds the schemas of all routes, which serving them does not. */
function openApiDocument(app: OpenAPIHono<ServerEnv>) {
  for (const { config } of routes) app.openAPIRegistry.registerPath(config());
  app.openAPIRegistry.registerComponent('securitySchemes', keyScheme.name, keyScheme.scheme);
  return app.getOpenAPI31Document({ openapi: '3.1.0', info: { title: 'varve', version: protocolVersion } });
}

/** Keeps browsers from taking a response for anything but its content type, such as a file for a script. */
export const noSniff: MiddlewareHandler = async (context, next) => {
  await next();
  context.header('x-content-type-options', 'nosniff');
};
