import type { MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import type { Metrics } from './metrics.ts';

/** Measures each request. */
export function requestMetrics(metrics: Metrics): MiddlewareHandler {
  return async (context, next) => {
    const began = performance.now();
    await next();
    // The handler or middleware that ended the request.
    const route = routePath(context);
    metrics.observe({
      method: context.req.method,
      route: route.includes('*') ? 'none' : route,
      status: context.res.status,
      seconds: (performance.now() - began) / 1000,
    });
  };
}
