import type { MiddlewareHandler } from 'hono';
import type { Activity } from './activity.ts';

/** Records activity when a request begins and when its response does: a command may have run in between. */
export function recordActivity(activity: Activity): MiddlewareHandler {
  return async (_context, next) => {
    activity.touch();
    await next();
    activity.touch();
  };
}
